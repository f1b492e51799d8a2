// When a node gives up the shard, the node waits a moment for every open request, and then closes the connections of
// those that are left.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import t from 'tap'
import { createOwnRequests } from '../../src/node/own-requests.ts'
import { until } from '../support/http.ts'

t.test('a connection is closed while a request is open that was sent right behind another one', async t => {
  const front = createServer((request, response) => {
    if (request.url === '/quick') response.end('done')
  })
  const requests = createOwnRequests(front)
  const server = createServer(requests.request).listen(0, '127.0.0.1')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const ended = once(client, 'close')
  let received = ''
  client.on('data', chunk => {
    received += chunk
  })
  for (const path of ['/quick', '/slow']) client.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
  await until(() => received.includes('done'))
  await requests.close()
  const how = await Promise.race([
    ended.then(() => 'closed'),
    new Promise(resolve => setTimeout(resolve, 1000, 'left open')),
  ])
  t.equal(how, 'closed')
  client.destroy()
})
