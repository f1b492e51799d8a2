// A refused body that is still being sent must not hide the answer from its sender.
import t from 'tap'
import { dial, until } from '../support/http.ts'
import { adminToken, serveHere } from '../support/server.ts'

t.test('a body far over the limit is answered 413, and the connection goes on', async t => {
  const { api } = await serveHere(t, { BODY_LIMIT: '1000' })
  for (let n = 0; n < 5; n++) {
    const answer = await api('POST', '/tasks', 'x'.repeat(20 * 1024 * 1024))
    t.equal(answer.status, 413)
    t.match(await answer.json(), { error: { code: -32600 } })
    t.equal((await api('GET', '/tasks')).status, 200)
  }
})

t.test('a large body without a valid token is answered 401', async t => {
  const { api } = await serveHere(t)
  const answer = await api('POST', '/tasks', 'x'.repeat(20 * 1024 * 1024), { authorization: 'Bearer nobody' })
  t.equal(answer.status, 401)
})

t.test('a sender that reads answers only after its whole body sees the answer, and can go on', async t => {
  const { url } = await serveHere(t, { BODY_LIMIT: '1000' })
  const bytes = 100_000
  const refused: [string, string, number][] = [
    ['/v1/tasks', 'application/json', 413],
    ['/v1/tasks', 'text/plain', 415],
  ]
  for (const [path, type, status] of refused) {
    const { socket, state, answer } = await dial(url)
    t.teardown(() => socket.destroy())
    const head = `Host: x\r\nAuthorization: Bearer ${adminToken}\r\n`
    socket.write(`POST ${path} HTTP/1.1\r\n${head}Content-Type: ${type}\r\nContent-Length: ${bytes}\r\n\r\n{`)
    await until(() => state.raw.includes('\r\n\r\n'))
    t.equal(answer().status, status)
    t.not(answer().headers.connection, 'close')
    socket.write(`${'x'.repeat(bytes - 1)}GET /healthz HTTP/1.1\r\n${head}\r\n`)
    await until(() => state.raw.includes('HTTP/1.1 200') || state.ended || state.broken)
    t.ok(state.raw.includes('HTTP/1.1 200'), `the next request is answered after a ${status}`)
  }
})
