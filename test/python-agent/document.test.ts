// The programs of docs/python-agents.md run as they stand there.
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { type WebSocket, WebSocketServer } from 'ws'
import { beginOf, createInbox, type Message, noPython, startPython } from './peer.ts'

t.test('the agent of the page, served by the worker of the page', { skip: noPython }, async t => {
  const folder = t.testdir()
  const page = readFileSync('docs/python-agents.md', 'utf8')
  const files = [...page.matchAll(/^```python\n# (\w+\.py)\n([\s\S]*?)^```$/gm)]
  t.same(
    files.map(([, name]) => name),
    ['refunds.py', 'worker.py'],
  )
  for (const [, name = '', text = ''] of files) writeFileSync(path.join(folder, name), text)

  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  t.teardown(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const variables = { REPRISE_URL: `http://127.0.0.1:${port}`, REPRISE_TOKEN: 'secret' }
  const { child, errors } = startPython(t, [path.join(folder, 'worker.py')], { variables })
  const [socket] = (await once(server, 'connection')) as [WebSocket]
  t.teardown(() => socket.terminate())
  const inbox = createInbox()
  socket.on('message', data => inbox.put(JSON.parse(`${data}`)))
  const send = (message: Message): void => socket.send(JSON.stringify(message))

  t.match((await inbox.next()).agents, [
    { name: 'refunds', description: 'Refunds an order when a human agrees.' },
  ])
  send({ type: 'welcome', agents: ['refunds'], refused: [] })
  const begin = beginOf('refunds')
  const { lease } = begin
  const give = (n: number, value: unknown): void =>
    send({ type: 'results', lease, results: [{ n, at: 2000 + n, value }] })
  send(begin)
  t.match((await inbox.next()).moves, [{ do: 'tool', name: 'find_order', timeout_ms: 5000 }])
  give(1, { text: 'order 5' })
  t.match((await inbox.next()).moves, [
    { do: 'ask', name: 'approve_refund', arguments: { order: 'order 5' } },
  ])
  give(2, { text: 'yes' })
  t.match((await inbox.next()).moves, [{ do: 'run', name: 'refund' }])
  send({ type: 'run', lease, n: 3 })
  t.match((await inbox.next()).moves, [{ do: 'ran', of: 3, value: { paid: 'order 5' } }])
  give(3, { paid: 'order 5' })
  t.match((await inbox.next()).moves, [{ do: 'model', messages: [{ content: /refunded: order 5$/ }] }])
  give(4, { text: 'It was refunded.', calls: [] })
  t.match(await inbox.next(), { outcome: { answer: 'It was refunded.' } })

  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  t.same(await inbox.next(), { type: 'stopping' })
  await ended
  t.equal(child.exitCode, 0, errors())
})
