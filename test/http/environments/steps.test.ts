// A step: its answer, what goes wrong in it, its number, and the order of steps.

import t from 'tap'
import { brief } from '../../support/http.ts'
import { counter } from '../env-calls.ts'
import { families, sampleOf } from '../exposition.ts'
import { givenEnvironments } from './given.ts'

const { create, made, step, add, reset, observe, record, holding, faults, server } =
  await givenEnvironments(t)

t.test('env_vars of a step are no part of what is asked, and are not those of the session', async t => {
  const id = await made()
  const key = { 'idempotency-key': 'with-variables' }
  const first = await step(id, 'add', { by: 1 }, { env_vars: { PASSWORD: 'x', LATER: { deep: 1 } } }, key)
  t.match(first.body, { step: 1, state: { known: [], isOpen: true } })
  const again = await step(id, 'add', { by: 1 }, { env_vars: { PASSWORD: 'y' } }, key)
  t.equal(again.text, first.text, 'they are no part of what is asked')
  t.equal((await step(id, 'add', { by: 1 }, { env_vars: null })).status, 200)
  const { status, body } = await step(id, 'add', { by: 1 }, { env_vars: ['x'] })
  t.equal(status, 422)
  t.same(body.detail[0]?.loc, ['body', 'env_vars'])
})

t.test('a step answers with all that came of it', async t => {
  const id = await made({ env_init_kwargs: { start: 1 } })
  const { env_id } = (await record(id)).body
  const { status, body } = await add(id, 2)
  t.equal(status, 200)
  const seen = { total: 3, drawn: [], at: [], seed: body.state.seed }
  t.same(
    { ...body, tools: body.tools.length },
    {
      session_id: id,
      env_id,
      step: 1,
      tool_result: {
        type: 'tool_result',
        id: body.tool_result.id,
        status: 'completed',
        call_id: body.tool_result.call_id,
        message_content: 'it is 3 now',
        block_list: [],
      },
      observation: seen,
      state: { ...seen, known: [], isOpen: true },
      reward: 0.25,
      terminated: false,
      truncated: false,
      done: false,
      info: {},
      tools: 8,
    },
  )
  t.match(body.tool_result, { id: /^tr_./, call_id: /^call_./ })
  t.equal((await add(id, 2)).body.step, 2, 'an equal move is another step')
  t.match((await observe(id)).body, { state: { total: 5 }, done: false })
})

t.test('a tool that fails inside is a step, with the error in its result', async t => {
  const id = await made()
  const { status, body } = await step(id, 'fail', { why: 'the door is shut' })
  t.equal(status, 200)
  t.match(body, {
    step: 1,
    tool_result: { status: 'incomplete', message_content: 'the door is shut' },
    info: { error: 'the door is shut' },
    done: false,
    truncated: false,
    state: { total: 100 },
  })
  t.match((await step(id, 'lie')).body, {
    step: 2,
    tool_result: { status: 'incomplete' },
    info: { error: /content/ },
  })
  t.match((await add(id, 1)).body, { step: 3, state: { total: 101 } }, 'and the session goes on')
})

t.test(
  'an environment that dies in a step answers it, and its session is closed with the reason',
  async t => {
    const id = await made()
    await add(id, 4)
    const { status, body } = await step(id, 'exit')
    t.equal(status, 200)
    t.match(body, {
      step: 2,
      tool_result: { status: 'incomplete' },
      truncated: true,
      done: true,
      info: { error: /exit code 7/ },
      state: { total: 4 },
    })
    t.match((await record(id)).body, { is_active: false, close_reason: /exit code 7/ })
    t.match((await add(id, 1)).body, { code: -32025, data: { reason: /exit code 7/ } })
    t.equal(
      (await create({ session_id: id, env_class_path: counter })).status,
      200,
      'it can be created again',
    )
    t.equal((await add(id, 1)).body.step, 3)
  },
)

t.test('an unknown tool and bad arguments are 422 where they are, and no step', async t => {
  const id = await made()
  const cases: [string, object, string][] = [
    ['nobody', {}, 'body tool_name value_error'],
    ['constructor', {}, 'body tool_name value_error'],
    ['add', {}, 'body tool_args value_error'],
    ['add', { by: '1' }, 'body tool_args value_error'],
    ['add', { by: 1, more: 1 }, 'body tool_args value_error'],
  ]
  for (const [name, args, expected] of cases) {
    for (const stream of [false, true]) {
      const { status, body } = await step(id, name, args, { stream })
      t.equal(status, 422, `${name} ${stream}`)
      t.same(brief(body.detail), [expected])
    }
  }
  t.equal((await add(id, 1)).body.step, 1)
})

t.test('after done a step is 400 until a reset', async t => {
  const id = await made()
  t.match((await step(id, 'end')).body, {
    terminated: true,
    done: true,
    reward: 0.5,
    info: { why: 'asked to' },
  })
  t.equal((await observe(id)).body.done, true)
  for (const [name, args, stream] of [
    ['add', { by: 1 }, false],
    ['nobody', {}, false],
    ['add', { by: 1 }, true],
  ] as const) {
    const { status, body } = await step(id, name, args, { stream })
    t.equal(status, 400, `${name} ${stream}`)
    t.equal(body.code, -32026)
  }
  t.match((await reset(id)).body, { done: false, observation: { total: 0 } })
  t.match((await add(id, 1)).body, { step: 2, done: false })
  const cut = await made({ env_init_kwargs: { end: 3 } })
  t.match((await add(cut, 3)).body, { truncated: true, terminated: false, done: true })
})

t.test('expected_step is the number of the step, or 409', async t => {
  const id = await made()
  const expecting = (expected_step: number) => step(id, 'add', { by: 1 }, { expected_step })
  t.equal((await expecting(1)).body.step, 1)
  for (const wrong of [1, 3]) {
    const { status, body } = await expecting(wrong)
    t.equal(status, 409)
    t.match(body, { code: -32023 })
  }
  t.equal((await expecting(2)).body.step, 2)
  const all = await Promise.all([3, 3, 3].map(expecting))
  t.same(all.map(({ status }) => status).sort(), [200, 409, 409], 'of three at once it is one')
})

t.test('sixty-four may wait behind one that runs, in order; the next is told to come later', async t => {
  const id = await made()
  const { answer, release } = await holding(t, id)
  const waiting = Array.from({ length: 64 }, (_, n) => add(id, n))
  // Those that wait have all arrived when one more is refused, and only then.
  let refused = await Promise.race([add(id, 1000), ...waiting])
  while (refused.status !== 429) refused = await add(id, 1000)
  t.equal(refused.status, 429)
  t.equal(refused.body.code, -32027)
  t.equal(refused.headers.get('retry-after'), '1')
  const metrics = families(await (await fetch(`${server.url}/metrics`)).text())
  const counted = sampleOf(metrics, 'reprise_quota_refusals_total', { quota: 'steps' }) ?? 0
  t.ok(counted > 0, 'and it is counted')
  t.match(await record(id), { status: 200 }, 'it can be looked at meanwhile')
  release()
  await answer
  const answers = await Promise.all(waiting)
  t.same([...new Set(answers.map(({ status }) => status))], [200])
  const steps = answers.map(({ body }) => body.step).sort((a, b) => a - b)
  t.same(
    steps,
    Array.from({ length: 64 }, (_, n) => n + 2),
  )
  t.match((await observe(id)).body.state, { total: 1 + (63 * 64) / 2 })
  t.equal((await add(id, 1)).status, 200, 'when they are done there is room')
})

t.test('nothing of all that was a fault of ours', async t => {
  t.same(faults(), [])
})
