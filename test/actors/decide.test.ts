// One command in one situation: given events, when a command, then events.
import t from 'tap'
import { refused } from '../support/system.ts'
import {
  abandoned,
  cancelRequested,
  context,
  created,
  createdData,
  fact,
  given,
  historyOf,
  itemCompleted,
  more,
  now,
  opened,
  paused,
  pauseRequested,
  queued,
  resumed,
  said,
  spawned,
  stepCompleted,
  stepStarted,
  working,
} from './given.ts'

const step = (agentStep: number, effectId = `t1/${agentStep}`) => ({
  type: 'RecordStep' as const,
  agentStep,
  effectId,
})
const ends = { end: 'answer' } as const
const goesOn = { end: 'continue' } as const
const expire = { type: 'ExpireTask', startedAt: 0 } as const
const begun = [...working, stepStarted(1, 't1/1')]

t.test('a create that may start spawns its agent, then starts, with its limits', async t => {
  t.match(given().when({ type: 'CreateTask', created: createdData, start: true, seen: { context } }), [
    { type: 'TaskCreated', data: { ...createdData, expires_at: now + 10_000 } },
    { type: 'AgentSpawned', data: { agent_id: 'agent_1', workdir: '/w/u1/s1' } },
    { type: 'TaskStarted', data: { from: 'created', context, ttl_seconds: 30 } },
  ])
})

t.test('a create that must wait is queued, with a deadline and no agent', async t => {
  const events = given().when({
    type: 'CreateTask',
    created: createdData,
    start: false,
    seen: { context: [] },
  })
  t.same(
    events.map(({ type }) => type),
    ['TaskCreated', 'TaskQueued'],
  )
  t.match(events[1], { data: { from: 'created', expires_at: now + 20_000 } })
})

t.test('a queued task starts once, with what it sees', async t => {
  const events = given(created, queued).when({ type: 'StartTask', seen: { context } })
  t.match(events, [{ type: 'AgentSpawned' }, { type: 'TaskStarted', data: { from: 'queued', context } }])
  t.same(given(created, queued, ...events).when({ type: 'StartTask', seen: { context } }), [])
})

t.test('a task that was canceled, expired or deleted while it waited never starts', async t => {
  const canceled = [created, queued, cancelRequested, fact('TaskCanceled', { from: 'queued' })]
  t.same(given(...canceled).when({ type: 'StartTask', seen: { context } }), [])
  t.same(
    given(...canceled, fact('TaskDeleted', { by: 'x' })).when({ type: 'StartTask', seen: { context } }),
    [],
  )
  t.same(
    given(created, queued, fact('TaskExpired', { from: 'queued' })).when({
      type: 'StartTask',
      seen: { context },
    }),
    [],
  )
})

t.test('a step that says everything at once needs no beginning in the log', async t => {
  const events = [said('m1', 'hello')] as never
  t.equal(
    given(...working).answers({ ...step(1), events, end: ends }),
    'ItemSaid AgentStepCompleted AgentCompleted TaskCompleted',
  )
  t.equal(given(...working).answers({ ...step(1), events: [], end: goesOn }), 'AgentStepCompleted')
})

t.test('an echo needs at most seven events', async t => {
  const first = given().when({ type: 'CreateTask', created: createdData, start: true, seen: { context } })
  const rest = given(...first).when({ ...step(1), events: [said('m1', 'hello')] as never, end: ends })
  t.ok(first.length + rest.length <= 7)
})

t.test('a step that is told bit by bit begins once', async t => {
  const first = given(...working).when({ ...step(1), events: [opened('m1', 'he')] as never })
  t.same(
    first.map(({ type }) => type),
    ['AgentStepStarted', 'ItemDelta'],
  )
  t.match(first[0], { data: { agent_step: 1, effect_id: 't1/1' } })
  const then = given(...working, ...first)
  t.equal(then.answers({ ...step(1), events: [more('m1', 'llo')] as never }), 'ItemDelta')
  t.equal(
    then.answers({ ...step(1), events: [itemCompleted('m1')] as never, end: goesOn }),
    'ItemCompleted AgentStepCompleted',
  )
})

t.test('a step that takes its time shows that it began', async t => {
  t.equal(given(...working).answers({ ...step(1), events: [] }), 'AgentStepStarted')
  t.equal(given(...begun).answers({ ...step(1), events: [] }), '')
})

t.test('the usage of a step is told when it completes', async t => {
  const usage = { input_tokens: 1 }
  t.match(given(...working).when({ ...step(1), events: [], end: { end: 'continue', usage } }), [
    { type: 'AgentStepCompleted', data: { agent_step: 1, effect_id: 't1/1', usage } },
  ])
})

t.test('a report of another step, of an older run, or of a step that is over is dropped', async t => {
  const answer = { events: [said('m1', 'x')] as never, end: ends }
  t.same(given(...working).when({ ...step(2), ...answer }), [], 'a step too early')
  t.same(given(...working, stepCompleted(1, 't1/1')).when({ ...step(1), ...answer }), [], 'a step too late')
  t.same(given(...begun).when({ ...step(1, 't1/1.1'), ...answer }), [], 'another run than the one that began')
  t.same(given(...historyOf.paused).when({ ...step(1), ...answer }), [], 'paused meanwhile')
  t.same(given(...historyOf.canceled).when({ ...step(1), ...answer }), [], 'ended meanwhile')
  const stopped = [...begun, cancelRequested, fact('EffectStopped', { effect_id: 't1/1', stopped: false })]
  t.same(given(...stopped).when({ ...step(1), ...answer }), [], 'its receipt is there already')
})

t.test('a report of a run that was abandoned is dropped, also before the next run has begun', async t => {
  const answer = { events: [said('m1', 'x')] as never, end: ends }
  t.same(given(...begun, abandoned(1, 't1/1')).when({ ...step(1), ...answer }), [])
})

t.test('after a cancel request a completion is recorded but moves nothing', async t => {
  const canceling = given(...begun, cancelRequested)
  t.equal(canceling.answers({ ...step(1), events: [], end: ends }), 'AgentStepCompleted')
  t.equal(
    canceling.answers({ ...step(1), events: [], end: { end: 'pause', reason: 'x' } }),
    'AgentStepCompleted',
  )
  const failed = canceling.answers({
    ...step(1),
    events: [],
    end: { end: 'fail', error: { code: 1, message: '' } },
  })
  t.equal(failed, 'AgentStepAbandoned')
})

t.test('a pause that was asked for comes at the end of the step that goes on', async t => {
  const asked = given(...working, pauseRequested)
  t.equal(asked.answers({ type: 'PauseTask' }), '', 'asked once is enough')
  t.match(asked.when({ ...step(1), events: [], end: goesOn }), [
    { type: 'AgentStepCompleted' },
    { type: 'TaskPaused', data: { from: 'working', reason: 'pause_requested', expires_at: now + 40_000 } },
  ])
  t.equal(
    asked.answers({ ...step(1), events: [], end: ends }),
    'AgentStepCompleted AgentCompleted TaskCompleted',
    'an answer is an answer',
  )
  t.match(asked.when({ ...step(1), events: [], end: { end: 'pause', reason: 'tea' } }), [
    { type: 'AgentStepCompleted' },
    { type: 'TaskPaused', data: { reason: 'tea' } },
  ])
  t.equal(
    asked.answers({ ...step(1), events: [], end: { end: 'fail', error: { code: -32000, message: 'no' } } }),
    'AgentError TaskFailed',
  )
})

t.test('a resumed task has forgotten the pause that was asked for', async t => {
  const again = given(...working, pauseRequested, stepCompleted(1, 't1/1'), paused, resumed)
  t.equal(again.answers({ ...step(2), events: [], end: goesOn }), 'AgentStepCompleted')
})

t.test('resume answers for each state, and names the calls that have no answer', async t => {
  t.match(given(...historyOf.paused).when({ type: 'ResumeTask' }), [
    { type: 'TaskResumed', data: { from: 'paused', ttl_seconds: 30 } },
  ])
  t.throws(
    () => given(...historyOf['input-required']).when({ type: 'ResumeTask' }),
    refused('InputMissing', { missing_call_ids: ['c1'] }),
  )
})

t.test('a failing agent ends in an error of the agent and of the task', async t => {
  const error = { code: -32000, message: 'no' }
  const fail = { end: 'fail', error } as const
  t.match(given(...working).when({ ...step(1), events: [], end: fail }), [
    { type: 'AgentError', data: { agent_id: 'agent_1', error: 'no', code: -32000 } },
    { type: 'TaskFailed', data: { from: 'working', error } },
  ])
  const midway = given(...begun, opened('m1', 'he'))
  const events = midway.when({ ...step(1), events: [more('m1', 'y')] as never, end: fail })
  t.same(
    events.map(({ type }) => type),
    ['ItemDelta', 'AgentStepAbandoned', 'AgentError', 'TaskFailed'],
    'no AgentCompleted beside AgentError',
  )
  t.match(events[1], { data: { agent_step: 1, effect_id: 't1/1', items: [{ item_id: 'm1', parts: 1 }] } })
})

t.test('what was open when a step is abandoned is named with its parts', async t => {
  const open = given(...begun, opened('m1', 'a'), itemCompleted('m1'), opened('m2', 'b'))
  t.match(open.when({ type: 'AbandonStep' }), [
    { type: 'AgentStepAbandoned', data: { agent_step: 1, effect_id: 't1/1' } },
  ])
  const [gone] = open.when({ type: 'AbandonStep' }) as unknown as [{ data: { items: { item_id: string }[] } }]
  t.ok(gone.data.items.some(({ item_id }) => item_id === 'm2'))
})

t.test('a task that must pause now abandons its step first', async t => {
  t.equal(
    given(...begun, opened('m1', 'a')).answers({ type: 'PauseNow', reason: 'secret_missing' }),
    'AgentStepAbandoned TaskPaused',
  )
  t.equal(given(...begun, cancelRequested).answers({ type: 'PauseNow', reason: 'x' }), '')
})

t.test('cancel asks a working task to stop, once, with its reason', async t => {
  t.same(given(...working).when({ type: 'CancelTask', reason: 'enough' }), [
    { type: 'CancelRequested', data: { reason: 'enough' } },
  ])
  t.equal(given(...working, cancelRequested).answers({ type: 'CancelTask' }), '')
})

t.test('cancel ends what does not work at once: the wish first, the end last', async t => {
  t.equal(given(created, queued).answers({ type: 'CancelTask' }), 'CancelRequested TaskCanceled')
  t.equal(
    given(...historyOf.paused).answers({ type: 'CancelTask' }),
    'CancelRequested AgentCompleted TaskCanceled',
  )
})

t.test('a cancel is finished with a receipt for each effect, then step, agent, task', async t => {
  const receipts = [
    { effect_id: 't1/1', stopped: true },
    { effect_id: 't1/x', stopped: false },
  ]
  const asked = [...begun, opened('m1', 'a'), fact('CancelRequested', { reason: 'enough' })]
  const events = given(...asked).when({ type: 'FinishCancel', receipts })
  t.match(events, [
    { type: 'EffectStopped', data: receipts[0] },
    { type: 'EffectStopped', data: receipts[1] },
    { type: 'AgentStepAbandoned', data: { items: [{ item_id: 'm1', parts: 1 }] } },
    { type: 'AgentCompleted', data: { success: false } },
    { type: 'TaskCanceled', data: { from: 'working', reason: 'enough' } },
  ])
  t.same(given(...asked, ...events).when({ type: 'FinishCancel', receipts }), [], 'once')
})

t.test('expiry ends step and agent, but leaves a task that is being canceled to its cancel', async t => {
  const limited = [created, spawned, fact('TaskStarted', { from: 'created', context, ttl_seconds: 60 })]
  const busy = [...limited, stepStarted(1, 't1/1'), opened('m1', 'a')]
  t.equal(given(...busy).answers(expire), 'AgentStepAbandoned AgentCompleted TaskExpired')
  t.equal(given(...limited).answers(expire), 'AgentCompleted TaskExpired')
  t.equal(given(...busy, cancelRequested).answers(expire), '')
})

t.test('a task that is not over its time does not expire, whoever says so', async t => {
  const until = (expires_at: number) => [
    ...working,
    fact('TaskPaused', { from: 'working', reason: 'x', expires_at }),
  ]
  t.equal(given(...until(now)).answers(expire), 'AgentCompleted TaskExpired', 'at its deadline')
  t.equal(given(...until(now + 1)).answers(expire), '')
  t.equal(given(...historyOf.paused).answers(expire), '', 'and never without a limit')
  t.equal(given(...working).answers(expire), '')
  const limited = [created, spawned, fact('TaskStarted', { from: 'created', context, ttl_seconds: 60 })]
  t.equal(
    given(...limited).answers({ type: 'ExpireTask', startedAt: now - 60_000 }),
    'AgentCompleted TaskExpired',
  )
  t.equal(
    given(...limited).answers({ type: 'ExpireTask', startedAt: now - 59_999 }),
    '',
    'the server started since',
  )
})

t.test('a delete tells who did it', async t => {
  t.same(given(...historyOf.completed).when({ type: 'DeleteTask' }), [
    { type: 'TaskDeleted', data: { by: 'somebody' } },
  ])
})
