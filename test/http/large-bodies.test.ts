// A refused body that is still being sent must not hide the answer from its sender.
import t from 'tap'
import { serveHere } from '../support/server.ts'

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
