// AWS Amplify against an endpoint: creates a group, subscribes, reports twice, prints what arrived as one JSON object.
import { Amplify, Hub } from '@aws-amplify/core'
import { generateClient, CONNECTION_STATE_CHANGE } from '@aws-amplify/api'
import { WebSocket } from 'ws'

globalThis.WebSocket = WebSocket
const { endpoint, apiKey } = JSON.parse(process.argv[2])
Amplify.configure({ API: { GraphQL: { endpoint, apiKey, region: 'ap-northeast-1', defaultAuthMode: 'apiKey' } } })
const client = generateClient()

async function execute(query, variables) {
  const answer = await client.graphql({ query, variables })
  return Object.values(answer.data)[0]
}

const FIELDS = '{ groupId domain nodeStatus { nodeId data { key value } } }'
const group = await execute(
  'mutation { createGroup(name: "g", hostId: "h", domain: "学校", useWebSocket: true) { id domain } }')

const connected = new Promise((resolve) => {
  Hub.listen('api', ({ payload }) => {
    if (payload.event === CONNECTION_STATE_CHANGE && payload.data.connectionState === 'Connected') resolve()
  })
})
const received = []
const complete = new Promise((resolve, reject) => {
  const subscription = client.graphql({
    query: `subscription On($id: ID!, $domain: String!) { onMessageInGroup(groupId: $id, domain: $domain) ${FIELDS} }`,
    variables: group,
  }).subscribe({
    next({ data }) {
      received.push(data.onMessageInGroup)
      if (received.length === 2) {
        subscription.unsubscribe()
        resolve()
      }
    },
    error: reject,
  })
})
await connected

const sent = []
for (const value of ['1', '2']) {
  sent.push(await execute(
    `mutation Report($id: ID!, $domain: String!, $value: String!) {
       reportDataByNode(groupId: $id, domain: $domain, nodeId: "n", data: [{ key: "温度", value: $value }]) ${FIELDS} }`,
    { ...group, value }))
}
await complete

let refused
try {
  await execute('mutation { renewHeartbeat(groupId: "none", domain: "d", hostId: "h") { groupId } }')
} catch (error) {
  refused = error.errors[0].errorType
}
console.log(JSON.stringify({ sent, received, refused }))
process.exit(0)
