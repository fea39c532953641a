// Two stacks as the CDK writes them: tables of every kind, an AppSync API, a function with access to an index.
const cdk = require("aws-cdk-lib");
const dynamodb = require("aws-cdk-lib/aws-dynamodb");
const appsync = require("aws-cdk-lib/aws-appsync");
const lambda = require("aws-cdk-lib/aws-lambda");

const STRING = dynamodb.AttributeType.STRING;
const NUMBER = dynamodb.AttributeType.NUMBER;

class Timelines extends cdk.Stack {
  constructor(scope, id) {
    super(scope, id);
    const stage = new cdk.CfnParameter(this, "Stage", { default: "dev" });

    const posts = new dynamodb.Table(this, "Posts", {
      tableName: `posts-${stage.valueAsString}`,
      partitionKey: { name: "post_id", type: STRING },
      billingMode: dynamodb.BillingMode.PROVISIONED,
      readCapacity: 20,
      writeCapacity: 40,
      timeToLiveAttribute: "expires_at",
      stream: dynamodb.StreamViewType.NEW_IMAGE,
    });
    posts.addGlobalSecondaryIndex({
      indexName: "newest",
      partitionKey: { name: "sort_hash_key", type: NUMBER },
      sortKey: { name: "process_at", type: NUMBER },
      readCapacity: 10,
      writeCapacity: 5,
    });
    posts.addGlobalSecondaryIndex({
      indexName: "by_author",
      partitionKey: { name: "author_id", type: STRING },
      sortKey: { name: "process_at", type: NUMBER },
      projectionType: dynamodb.ProjectionType.KEYS_ONLY,
      readCapacity: 10,
      writeCapacity: 40,
    });
    posts.autoScaleWriteCapacity({ minCapacity: 40, maxCapacity: 400 }).scaleOnUtilization({ targetUtilizationPercent: 60 });
    posts
      .autoScaleGlobalSecondaryIndexReadCapacity("newest", { minCapacity: 10, maxCapacity: 100 })
      .scaleOnUtilization({ targetUtilizationPercent: 75 });

    const orders = new dynamodb.Table(this, "Orders", {
      partitionKey: { name: "customer", type: STRING },
      sortKey: { name: "order", type: STRING },
      billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
    });
    orders.addLocalSecondaryIndex({ indexName: "by_total", sortKey: { name: "total", type: NUMBER } });
    orders.addGlobalSecondaryIndex({ indexName: "by_shop", partitionKey: { name: "shop", type: STRING } });
    orders.addGlobalSecondaryIndex({ indexName: "by_courier", partitionKey: { name: "courier", type: STRING } });

    const api = new appsync.GraphqlApi(this, "Api", {
      name: "timelines",
      definition: appsync.Definition.fromFile(require("path").join(__dirname, "schema.graphql")),
    });
    const source = api.addDynamoDbDataSource("PostsSource", posts);
    source.createResolver("Newest", {
      typeName: "Query",
      fieldName: "newest",
      requestMappingTemplate: appsync.MappingTemplate.dynamoDbQuery(
        appsync.KeyCondition.eq("sort_hash_key", "one"), "newest"),
      responseMappingTemplate: appsync.MappingTemplate.dynamoDbResultList(),
    });
    const orderSource = api.addDynamoDbDataSource("OrdersSource", orders);
    const ofShop = new appsync.AppsyncFunction(this, "OfShop", {
      name: "ofShop",
      api,
      dataSource: orderSource,
      runtime: appsync.FunctionRuntime.JS_1_0_0,
      code: appsync.Code.fromInline(
        "export function request(ctx) { return { operation: 'Query', index: 'by_shop', query: { expression: 'shop = :s' } }; }\n" +
        "export function response(ctx) { return ctx.result.items; }\n"),
    });
    new appsync.Resolver(this, "OrdersOfShop", {
      api,
      typeName: "Query",
      fieldName: "ordersOfShop",
      pipelineConfig: [ofShop],
      runtime: appsync.FunctionRuntime.JS_1_0_0,
      code: appsync.Code.fromInline("export function request() { return {}; }\nexport function response(ctx) { return ctx.prev.result; }\n"),
    });
    orderSource.createResolver("AddOrder", {
      typeName: "Mutation",
      fieldName: "addOrder",
      requestMappingTemplate: appsync.MappingTemplate.dynamoDbPutItem(
        appsync.PrimaryKey.partition("customer").is("customer").sort("order").is("order"), appsync.Values.projecting("order")),
      responseMappingTemplate: appsync.MappingTemplate.dynamoDbResultItem(),
    });

    const couriers = new lambda.Function(this, "Couriers", {
      runtime: lambda.Runtime.NODEJS_22_X,
      handler: "index.handler",
      code: lambda.Code.fromInline("exports.handler = async () => 1;"),
    });
    posts.grantReadData(couriers);
  }
}

class Global extends cdk.Stack {
  constructor(scope, id) {
    super(scope, id, { env: { region: "ap-northeast-1", account: "123456789012" } });
    new dynamodb.TableV2(this, "Sessions", {
      tableName: "sessions",
      partitionKey: { name: "session_id", type: STRING },
      billing: dynamodb.Billing.provisioned({
        readCapacity: dynamodb.Capacity.fixed(10),
        writeCapacity: dynamodb.Capacity.autoscaled({ minCapacity: 5, maxCapacity: 50, seedCapacity: 7 }),
      }),
      globalSecondaryIndexes: [{
        indexName: "by_user",
        partitionKey: { name: "user", type: STRING },
        readCapacity: dynamodb.Capacity.fixed(3),
        writeCapacity: dynamodb.Capacity.autoscaled({ maxCapacity: 20 }),
      }],
      replicas: [{ region: "us-east-1" }],
    });
  }
}

const app = new cdk.App({ outdir: process.argv[2] });
new Timelines(app, "Timelines");
new Global(app, "Global");
app.synth();
