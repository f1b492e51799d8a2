// reprise cluster move takes the log from an owner that is not ready: its read models, for example, have no room.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { runReprise } from '../support/server.ts'
import { nodeHere } from './nodes-here.ts'

t.test('the log is moved away from an owner that is not ready', async t => {
  const folder = t.testdir()
  const keyFile = path.join(folder, 'key')
  writeFileSync(keyFile, Buffer.alloc(32, 5).toString('base64'), { mode: 0o600 })
  let owner = 'a'
  const orders: string[] = []
  const nodeNamed = async (name: string) => {
    const said = { url: '' }
    const cluster = () => ({ node: name, role: owner === name ? 'owner' : 'standby', owner, conditions: [] })
    const node = await nodeHere(t, {
      name,
      own: new Map([
        [
          '/readyz',
          (_, response) => {
            response.writeHead(name === 'a' ? 503 : 200, { date: new Date().toUTCString() })
            response.end(JSON.stringify({ position: 5, cluster: cluster() }))
          },
        ],
      ]),
      nodeRoutes({ url = '' }, response) {
        if (!url.startsWith('/cluster/status')) orders.push(`${name} ${url}`)
        if (url.startsWith('/cluster/drain?node=b')) owner = 'b'
        const standing = {
          ...cluster(),
          ...said,
          ready: true,
          sequence: 7,
          position: 5,
          lag: 0,
          version: '1',
        }
        response.end(JSON.stringify({ ...standing, time: Date.now(), nodes: [], was: 'owner' }))
      },
    })
    said.url = node.url
    return node
  }
  const [a, b] = [await nodeNamed('a'), await nodeNamed('b')]
  const moved = await runReprise(['cluster', 'move', 'b', '--node', a.url, '--node', b.url], {
    DATA_DIR: path.join(folder, 'data'),
    CLUSTER_KEY_FILE: keyFile,
    CLUSTER_NATS_URL: 'nats://127.0.0.1:1',
  })
  t.match(moved, { code: 0, stdout: /b owns the log now/ }, moved.stderr)
  t.ok(orders.includes('a /cluster/drain?node=b&ms=15000'), orders.join(', '))
})
