// A table's life through the AWS SDK for JavaScript v3, with its defaults: retries, CRC32 checks, request signing.
// Usage: node javascript.mjs ENDPOINT, with the SDK in node_modules of the working directory; status 0 when all is as expected.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const require = createRequire(join(process.cwd(), 'package.json'))
const sdk = require('@aws-sdk/client-dynamodb')
const { DynamoDBDocument } = require('@aws-sdk/lib-dynamodb')

const client = new sdk.DynamoDB({
  endpoint: process.argv[2],
  region: 'ap-northeast-1',
  credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
})
const documents = DynamoDBDocument.from(client)

await client.createTable({
  TableName: 'smoke',
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: ['pk', 'sk', 'kind'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  GlobalSecondaryIndexes: [
    { IndexName: 'by_kind', KeySchema: [{ AttributeName: 'kind', KeyType: 'HASH' }], Projection: { ProjectionType: 'ALL' } },
  ],
})
await sdk.waitUntilTableExists({ client, maxWaitTime: 30 }, { TableName: 'smoke' })

const item = { pk: 'a', sk: '1', kind: 'x', n: 1.5, tags: new Set(['a', 'b']), deep: { list: [1, null, true, 'é'] } }
await documents.put({ TableName: 'smoke', Item: item })
assert.deepEqual((await documents.get({ TableName: 'smoke', Key: { pk: 'a', sk: '1' } })).Item, item)

const writes = Array.from({ length: 20 }, (_, n) => ({ PutRequest: { Item: { pk: 'b', sk: String(n).padStart(2, '0'), kind: 'y' } } }))
assert.deepEqual((await documents.batchWrite({ RequestItems: { smoke: writes } })).UnprocessedItems, {})
const found = []
for await (const page of sdk.paginateQuery(
  { client, pageSize: 7 },
  {
    TableName: 'smoke',
    IndexName: 'by_kind',
    KeyConditionExpression: 'kind = :kind',
    ExpressionAttributeValues: { ':kind': { S: 'y' } },
  },
)) {
  found.push(...page.Items.map((each) => each.sk.S))
}
assert.equal(new Set(found).size, 20)

await assert.rejects(
  client.transactWriteItems({
    TransactItems: [
      { Put: { TableName: 'smoke', Item: { pk: { S: 'c' }, sk: { S: '1' } } } },
      { Delete: { TableName: 'smoke', Key: { pk: { S: 'd' }, sk: { S: '1' } }, ConditionExpression: 'attribute_exists(pk)' } },
    ],
  }),
  (error) => {
    assert.ok(error instanceof sdk.TransactionCanceledException)
    assert.deepEqual(error.CancellationReasons.map((reason) => reason.Code), ['None', 'ConditionalCheckFailed'])
    return true
  },
)
await assert.rejects(client.getItem({ TableName: 'absent', Key: { pk: { S: 'a' } } }), sdk.ResourceNotFoundException)
await client.deleteTable({ TableName: 'smoke' })
assert.deepEqual((await client.listTables({})).TableNames, [])
console.log('AWS SDK for JavaScript: all as expected')
