// A step as a stream of frames.

import { writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { add2, bodies, givenEnvironments } from './given.ts'

const { made, step, add, observe, close, call, streamed, holding, faults } = await givenEnvironments(t)

t.test('a streamed step is told as it goes', async t => {
  const id = await made()
  const stream = await streamed({ session_id: id, tool_name: 'say', tool_args: { words: 'one two' } })
  t.match(stream.response.headers.get('content-type'), /^text\/event-stream/)
  await stream.rest()
  const frames = bodies(stream.frames())
  t.same(
    frames.map(({ type }) => type),
    ['step.started', 'step.output.delta', 'step.output.delta', 'step.completed'],
  )
  t.same(
    frames.map(({ sequence_number, session_id, step }) => [sequence_number, session_id, step]),
    [0, 1, 2, 3].map(n => [n, id, 1]),
  )
  t.match(frames[0], { tool_name: 'say', tool_args: { words: 'one two' } })
  t.equal(`${frames[1]?.delta}${frames[2]?.delta}`, 'one two ')
  t.match(frames[3], {
    tool_result: { message_content: [{ type: 'text', text: 'one two' }], block_list: [{ type: 'said' }] },
    reward: 0,
    done: false,
    info: {},
  })
  const plain = (await step(id, 'say', { words: 'x' })).body
  const { type, sequence_number, ...answer } = frames[3] as Record<string, unknown>
  t.same(Object.keys(answer).sort(), Object.keys(plain).sort(), 'in the end it is the answer that others get')

  const failed = await streamed({ session_id: id, tool_name: 'fail', tool_args: { why: 'so' } })
  await failed.rest()
  t.match(bodies(failed.frames()).at(-1), { type: 'step.completed', step: 3, info: { error: 'so' } })
})

t.test(
  'each frame of a streamed step has the number of its step, also when it waited for another',
  async t => {
    const id = await made()
    const { answer, release } = await holding(t, id)
    const second = await streamed({ session_id: id, tool_name: 'say', tool_args: { words: 'late' } })
    release()
    t.equal((await answer).body.step, 1)
    await second.rest()
    t.same([...new Set(bodies(second.frames()).map(frame => frame.step))], [2])
  },
)

t.test('the request_id of a step is the id of its answer and frames, and its cause in the log', async t => {
  const id = await made()
  const { headers } = await step(id, 'add', { by: 1 }, { request_id: 'chain-1' }, { 'x-request-id': 'other' })
  t.equal(headers.get('x-request-id'), 'chain-1')
  const stream = await streamed({ ...add2(id), request_id: 'chain-2' }, { 'x-request-id': 'other' })
  await stream.rest()
  t.equal(stream.response.headers.get('x-request-id'), 'chain-2')
  t.same(
    [...new Set(stream.text().match(/"jsonrpc":"2.0","id":"[^"]*"/g))],
    ['"jsonrpc":"2.0","id":"chain-2"'],
  )
  const named = await step(id, 'add', { by: 1 }, {}, { 'x-request-id': 'header-3' })
  t.equal(named.headers.get('x-request-id'), 'header-3')
  const { body } = await call('GET', `/audit/events?stream=env-${id}&limit=10`)
  t.same(
    (body as unknown as { data: { causation_id: string }[] }).data.slice(1).map(event => event.causation_id),
    ['chain-1', 'chain-2', 'header-3'],
  )
})

t.test('a streamed step that fails says the number that it would have had', async t => {
  const id = await made()
  await add(id, 1)
  const { answer } = await holding(t, id)
  const waiting = await streamed(add2(id))
  await close(id)
  await answer
  await waiting.rest()
  t.match(bodies(waiting.frames()), [{ type: 'step.failed', step: 3, error: { code: -32025 } }])
})

t.test('a streamed step with a known key is the step that it was', async t => {
  const id = await made()
  const key = { 'idempotency-key': 'streamed' }
  const first = await add(id, 1, key)
  await step(id, 'end')
  const again = await streamed({ session_id: id, tool_name: 'add', tool_args: { by: 1 } }, key)
  await again.rest()
  const { type, sequence_number, ...answer } = bodies(again.frames()).at(-1) ?? {}
  t.same(answer, first.body)
})

t.test('a stream begins only for a step that may be taken, whatever its headers say', async t => {
  const id = await made()
  await add(id, 1)
  const known = { 'idempotency-key': 'known' }
  await add(id, 2, known)
  const key = { 'idempotency-key': 'unknown' }
  const retry = { 'x-stainless-retry-count': '1' }
  const tries: [object, Record<string, string>, number][] = [
    [{ tool_name: 'nobody' }, key, 422],
    [{ tool_name: 'nobody' }, retry, 422],
    [{ tool_name: 'add' }, key, 422],
    [{ tool_name: 'add', tool_args: { by: 9 } }, known, 409],
    [{ tool_name: 'add', tool_args: { by: 1 } }, { 'idempotency-key': 'x'.repeat(257) }, 422],
    [{ tool_name: 'add', tool_args: { by: 1 }, expected_step: 2 }, {}, 409],
    [{ tool_name: 'add', tool_args: { by: 1 }, expected_step: 4 }, {}, 409],
  ]
  for (const [body, headers, status] of tries) {
    const what = JSON.stringify([body, headers])
    t.equal(
      (await call('POST', '/env/step', { session_id: id, stream: true, ...body }, headers)).status,
      status,
      what,
    )
    t.equal((await call('POST', '/env/step', { session_id: id, ...body }, headers)).status, status, what)
  }
  t.match((await observe(id)).body.state, { total: 3 })
})

t.test('a streamed step whose reader goes is done all the same', async t => {
  const id = await made()
  const file = path.join(t.testdir(), 'go')
  const stream = await streamed({ session_id: id, tool_name: 'hold', tool_args: { file } })
  await stream.until(frames => bodies(frames).some(({ delta }) => delta === 'holding'))
  await stream.cut()
  writeFileSync(file, '')
  t.match((await add(id, 1)).body, { step: 2, state: { total: 2 } })
})

t.test('nothing of all that was a fault of ours', async t => {
  t.same(faults(), [])
})
