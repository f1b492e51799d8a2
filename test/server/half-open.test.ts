// Connections that say nothing, or never finish the head of a request, are closed in time.
import { connect, type Socket } from 'node:net'
import t from 'tap'
import { serveHere } from '../support/server.ts'

const heads = ['', 'GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ', 'POST']

t.test('half-open connections are closed, and what they had begun is answered 408', async t => {
  const { url } = await serveHere(t)
  const { hostname, port } = new URL(url)
  const sockets: Socket[] = []
  const answers = await Promise.all(
    Array.from({ length: 300 }, (_, n) => {
      const socket = connect(Number(port), hostname)
      sockets.push(socket)
      let answer = ''
      socket.on('error', () => {})
      socket.on('data', chunk => {
        answer += chunk
      })
      socket.write(heads[n % 3] ?? '')
      return new Promise<string>(resolve => socket.once('close', () => resolve(answer)))
    }),
  )
  t.equal(sockets.filter(socket => socket.destroyed).length, 300)
  t.ok(answers.every((answer, n) => (n % 3 === 0 ? answer === '' : answer.startsWith('HTTP/1.1 408 '))))
  t.match(answers[1], 'Send the head within 10 s')
  t.equal((await fetch(`${url}/healthz`)).status, 200)
})
