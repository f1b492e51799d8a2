// Large bodies are read in a thread: the same answers as for small ones, and nobody waits for them.
import t from 'tap'
import { read } from '../support/http.ts'
import { serveHere } from '../support/server.ts'

const { api } = await serveHere(t)
const padding = 'x'.repeat(100_000)
const post = (body: unknown, headers = {}) => read(api('POST', '/tasks', body, headers))
const large = (more: object = {}) => ({
  user_message_content: padding,
  stream: false,
  client_id: 'echo',
  ...more,
})

t.test('a large create is the task that it says', async t => {
  const { status, body } = await post(large({ metadata: { a: [1, { b: 'ü\u0000\ud800' }] } }))
  t.equal(status, 200)
  t.match(body.result, { status: 'completed', metadata: { a: [1, { b: 'ü\u0000\ud800' }] } })
  t.match(body.result, { output: [{ message_content: [{ text: padding }] }] })
})

t.test('what is wrong with a large body is told as for a small one', async t => {
  const wrong = async (text: string) => (await post(text)).body.detail
  t.match(await wrong(`{"a":"${padding}",}`), [{ type: 'json_invalid', loc: ['body', padding.length + 8] }])
  t.match(await wrong(`{"__proto__":1,"a":"${padding}"}`), [
    { type: 'value_error', loc: ['body', '__proto__'] },
  ])
  t.match(await wrong(JSON.stringify({ a: padding })), [
    { type: 'missing', loc: ['body', 'user_message_content'] },
    { type: 'missing', loc: ['body', 'stream'] },
  ])
  t.match(await wrong(`[${'1,'.repeat(100_001)}1]`), [{ type: 'too_long', loc: ['body'] }])
})

t.test('fields that the server does not know are ignored in a large body', async t => {
  const { status, body } = await post(large({ unknown: padding, user_message_content: 'short' }))
  t.equal(status, 200)
  t.match(body.result, { output: [{ message_content: [{ text: 'short' }] }] })
})

t.test(
  'the answer names all problems of a large body, but of a very long one only those that the schema finds',
  async t => {
    const wrong = async (user_message_content: string) => {
      const agent_config = { agent_id: 'script', script: [], system_prompt: 'x'.repeat(100_000) }
      const { status, body } = await post({ user_message_content, stream: 'no', agent_config, max_steps: 5 })
      t.equal(status, 422)
      return (body.detail as unknown as { loc: string[] }[]).map(({ loc }) => loc.join('.'))
    }
    const some = await wrong('short')
    t.ok(some.includes('body.stream'), String(some))
    t.same(await wrong('x'.repeat(300_000)), ['body.stream'])
  },
)

t.test('a retry of a large create is the same task, whatever its secret values are', async t => {
  const body = large({ env: { KEY: 'one' }, session_id: 'retried' })
  const key = { 'idempotency-key': 'large' }
  const first = await post(body, key)
  const again = await post({ ...body, env: { KEY: 'two' } }, key)
  t.equal(again.body.result.id, first.body.result.id)
  const other = await post({ ...body, user_message_content: `${padding}!` }, key)
  t.equal(other.status, 409)
  const small = { user_message_content: 'hi', stream: false, client_id: 'echo' }
  t.equal((await post({ ...small, env: { K: '1' } }, { 'idempotency-key': 'small' })).status, 200)
})

t.test('large bodies at once are all read', async t => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => post(large({ session_id: `at-once-${n}` }))),
  )
  t.same(
    answers.map(({ status, body }) => [status, body.result.session_id]),
    answers.map((_, n) => [200, `at-once-${n}`]),
  )
})
