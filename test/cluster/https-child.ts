// A node asks another one at the URL that is its argument, in both ways in which nodes do, and says what came of it.
import { createAskNode } from '../../src/cluster/gateway/ask-node.ts'
import { createHops } from '../../src/cluster/gateway/hop.ts'
import { createPeers } from '../../src/cluster/gateway/peers.ts'
import { realWorld } from '../../src/platform/world.ts'

const world = realWorld()
const hops = createHops({ key: Buffer.alloc(32), node: 'a', world })
const [, , url = ''] = process.argv
const get = { method: 'GET', path: '/x' }

const asked = await createAskNode(hops)(url, get).then(
  ({ bytes }) => bytes.toString(),
  error => String(error.cause?.message),
)
const passed = await new Promise<string>(resolve => {
  const outgoing = createPeers({ hops, timers: world.timers }).send(url, { ...get, headers: ['host', 'x'] })
  outgoing.on('response', ({ statusCode }) => resolve(String(statusCode)))
  outgoing.on('error', ({ message }) => resolve(message)).end()
})
process.stdout.write(JSON.stringify({ asked, passed }))
process.exit()
