// What holds for every operation: bodies that are not valid, sessions that are not there, and answers given again.

import t from 'tap'
import { brief } from '../../support/http.ts'
import { gone } from '../env-calls.ts'
import { givenEnvironments } from './given.ts'

const { env, create, step, add, reset, observe, close, record, call, streamed, faults } =
  await givenEnvironments(t)

t.test('what was done before says so in a header, and nothing else does', async t => {
  const told = ({ headers }: { headers: globalThis.Headers }) => headers.get('idempotency-replayed')
  const key = { 'idempotency-key': 'told' }
  const body = { session_id: 'told', env_class_path: gone }
  t.equal(told(await create(body, key)), null)
  t.equal(told(await create(body, key)), 'true', 'a create with its key')
  t.equal(told(await create(body)), 'true', 'or of a session that is there')
  t.equal(told(await add('told', 1, key)), null)
  t.equal(told(await add('told', 1, key)), 'true', 'a step with its key')
  t.equal(told(await add('told', 1)), null)
  const [one, other] = await Promise.all([0, 1].map(() => add('told', 1, { 'idempotency-key': 'at once' })))
  t.same([one, other].map(answer => answer && told(answer)).sort(), [null, 'true'], 'one of two at once')

  const say = { session_id: 'told', tool_name: 'say', tool_args: { words: 'so' } }
  for (const expected of [null, 'true']) {
    const stream = await streamed(say, { 'idempotency-key': 'streamed once' })
    await stream.rest()
    t.equal(stream.response.headers.get('idempotency-replayed'), expected)
  }
})

t.test('a body that is not valid is 422 with every problem', async t => {
  const cases: [string, object | string, string[]][] = [
    [
      '/env/create',
      { session_id: '', env_vars: [] },
      ['body session_id string_too_short', 'body env_vars dict_type'],
    ],
    ['/env/step', {}, ['body session_id missing', 'body tool_name missing']],
    [
      '/env/step',
      { session_id: 'x', tool_name: 'y', expected_step: 0 },
      ['body expected_step greater_than_equal'],
    ],
    ['/env/step', { session_id: 'x', tool_name: 'y', tool_args: 'z' }, ['body tool_args dict_type']],
    ['/env/step', { session_id: 'x', tool_name: 'y', stream: 'yes' }, ['body stream bool_type']],
    [
      '/env/reset',
      { session_id: 'x', seed: 1.5, options: 1 },
      ['body seed int_type', 'body options dict_type'],
    ],
    ['/env/reset', { session_id: 'x', seed: -(2 ** 53) }, ['body seed greater_than_equal']],
    ['/env/reset', { session_id: 'x', seed: 2 ** 53 }, ['body seed less_than_equal']],
    ['/env/observation', {}, ['body session_id missing']],
    ['/env/close', { session_id: 5 }, ['body session_id string_type']],
    ['/env/close', '{"session_id": ', ['body 15 json_invalid']],
  ]
  for (const [where, given, expected] of cases) {
    const { status, body } = await call('POST', where, given)
    t.equal(status, 422, where)
    // Which word of the standard ones is the business of another test.
    t.same(
      brief(body.detail).map(line => line.split(' ').slice(0, -1).join(' ')),
      expected.map(line => line.split(' ').slice(0, -1).join(' ')),
      `${where} ${JSON.stringify(given)}`,
    )
  }
})

t.test('what is unknown is 404 on each operation', async t => {
  const id = 'nobody-made-it'
  for (const answer of [
    await add(id, 1),
    await step(id, 'add', { by: 1 }, { stream: true }),
    await reset(id),
    await observe(id),
    await close(id),
    await record(id),
    await env.remove(id),
    await call('GET', `/env/session/${id}/machine`),
  ]) {
    t.equal(answer.status, 404)
    t.match(answer.body, { code: -32025, detail: /./ })
  }
})

t.test('nothing of all that was a fault of ours', async t => {
  t.same(faults(), [])
})
