// After an erasure, nothing that the server held in memory for a slow reader is sent any more.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import t from 'tap'
import { watchUnsent } from '../../src/http/server/unsent.ts'
import { until } from '../support/http.ts'

/** More than the systems of both sides keep for a reader that does not read. */
const long = 'x'.repeat(32_000_000)
const end = 'THE-END'

t.test('a reader that takes nothing is cut, and one that takes its time gets everything', async t => {
  const server = createServer((request, response) => {
    response.end(request.url === '/short' ? 'short' : long + end)
  })
  const unsent = watchUnsent(server, 1500)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const reader = (path: string) => {
    const socket = connect(port, '127.0.0.1')
    const state = { tail: '', isOver: false }
    socket.on('data', bytes => {
      state.tail = (state.tail + bytes.toString('latin1')).slice(-2 * end.length)
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      state.isOver = true
    })
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
    return { socket, state }
  }
  const deaf = reader('/long')
  await until(() => deaf.socket.bytesRead > 0)
  deaf.socket.pause()
  const slow = reader('/long')
  await until(() => slow.socket.bytesRead > 0)
  slow.socket.pause()
  setTimeout(() => slow.socket.resume(), 100)
  const idle = reader('/short')
  await until(() => idle.state.tail.includes('short'))

  await unsent.settle()
  deaf.socket.resume()
  await until(() => deaf.state.isOver)
  t.notMatch(deaf.state.tail, end, 'the end was in memory, and stays there')
  await until(() => slow.state.tail.includes(end))
  t.ok(slow.state.tail.includes(end))
  t.notOk(idle.state.isOver, 'a connection for which nothing waits stays')
  for (const { socket } of [slow, idle]) socket.destroy()
})
