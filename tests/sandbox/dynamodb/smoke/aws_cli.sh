#!/bin/sh
# A table's life through the AWS CLI. Wants AWS (the command), AWS_ENDPOINT_URL, credentials and a region in the environment;
# ends with status 0 when every answer was as expected.
set -eu

expect() { # expect WHAT IT_IS IT_SHOULD_BE
    if [ "$2" != "$3" ]; then
        echo "$1: expected $3, got $2" >&2
        exit 1
    fi
}

ddb() { "$AWS" dynamodb "$@"; }

ddb create-table --table-name smoke --billing-mode PAY_PER_REQUEST \
    --attribute-definitions AttributeName=pk,AttributeType=S AttributeName=sk,AttributeType=N \
    --key-schema AttributeName=pk,KeyType=HASH AttributeName=sk,KeyType=RANGE \
    --stream-specification StreamEnabled=true,StreamViewType=NEW_IMAGE >/dev/null
ddb wait table-exists --table-name smoke

for number in 1 2 3; do
    ddb put-item --table-name smoke --item "{\"pk\":{\"S\":\"a\"},\"sk\":{\"N\":\"$number\"},\"text\":{\"S\":\"日本\"}}"
done
expect "consumed capacity" "$(ddb get-item --table-name smoke --key '{"pk":{"S":"a"},"sk":{"N":"2"}}' \
    --return-consumed-capacity TOTAL --query ConsumedCapacity.CapacityUnits --output text)" 0.5
expect "text" "$(ddb get-item --table-name smoke --key '{"pk":{"S":"a"},"sk":{"N":"2"}}' --query Item.text.S --output text)" 日本
expect "updated" "$(ddb update-item --table-name smoke --key '{"pk":{"S":"a"},"sk":{"N":"2"}}' \
    --update-expression 'SET n = if_not_exists(n, :zero) + :one' \
    --expression-attribute-values '{":zero":{"N":"0"},":one":{"N":"1"}}' \
    --return-values UPDATED_NEW --query Attributes.n.N --output text)" 1
expect "query" "$(ddb query --table-name smoke --key-condition-expression 'pk = :pk AND sk > :one' \
    --expression-attribute-values '{":pk":{"S":"a"},":one":{"N":"1"}}' --query Count --output text)" 2
expect "scan in pages" "$(ddb scan --table-name smoke --page-size 1 --query 'length(Items)' --output json)" 3

if message=$(ddb put-item --table-name smoke --item '{"pk":{"S":"a"},"sk":{"N":"1"}}' \
    --condition-expression 'attribute_not_exists(pk)' 2>&1); then
    echo "a failed condition was let through" >&2
    exit 1
fi
case $message in
*ConditionalCheckFailedException*"The conditional request failed"*) ;;
*) expect "failed condition" "$message" ConditionalCheckFailedException ;;
esac

arn=$("$AWS" dynamodbstreams list-streams --table-name smoke --query 'Streams[0].StreamArn' --output text)
shard=$("$AWS" dynamodbstreams describe-stream --stream-arn "$arn" --query 'StreamDescription.Shards[0].ShardId' --output text)
iterator=$("$AWS" dynamodbstreams get-shard-iterator --stream-arn "$arn" --shard-id "$shard" \
    --shard-iterator-type TRIM_HORIZON --query ShardIterator --output text)
expect "stream records" "$("$AWS" dynamodbstreams get-records --shard-iterator "$iterator" \
    --query 'length(Records)' --output text)" 4

ddb delete-table --table-name smoke >/dev/null
expect "tables left" "$(ddb list-tables --query 'length(TableNames)' --output text)" 0
echo "AWS CLI: all as expected"
