// Given facts of a session, when a command, then what is refused, what is nothing new, and what is stored.
import t, { type Test } from 'tap'
import { createActor } from 'xstate'
import { check } from '../../../actors/env-session/check.ts'
import { decideOutcome, settleStep } from '../../../actors/env-session/decide.ts'
import {
  type SessionState,
  sessionChart,
  sessionMoveOf,
  sessionStateAfter,
} from '../../../src/contract/charts/env-session-chart.ts'
import { machineOfSession } from '../../../src/contract/charts/machines.ts'
import type {
  Outcome,
  SessionRequest,
  StepRequest,
} from '../../../src/contract/commands/env-session-commands.ts'
import { sessionEvents } from '../../../src/contract/decoders/env-session.ts'
import type { StepAnswer } from '../../../src/contract/environment.ts'
import type {
  EnvSessionEvent,
  EnvSessionEventData,
  EnvSessionEventType,
} from '../../../src/contract/events/env-session-events.ts'
import type { Recorded } from '../../../src/contract/stored.ts'
import { emptySession, evolveSession, nameOfKey, type SessionView } from '../../../src/history/env-session.ts'
import { refused } from '../../support/system.ts'
import { envSessionMachine } from '../machines.ts'
import { tools } from './memory.ts'

const now = Date.parse('2026-01-01T12:00:00.000Z')
const fact = <T extends EnvSessionEventType>(type: T, data: EnvSessionEventData<T>): EnvSessionEvent =>
  ({ type, data }) as unknown as EnvSessionEvent
const seen = { observation: { total: 0 }, state: { total: 0 }, done: false }
const createdData: EnvSessionEventData<'EnvSessionCreated'> = {
  session_id: 's1',
  env_id: 'e1',
  user_id: 'u1',
  client_id: 'c1',
  source: { name: 'sum', digest: 'd' },
  recovery: 'refold',
  kwargs: { a: 1, b: { c: 2 } },
  env_vars: {},
  seed: 5,
  now,
  tools,
  ...seen,
}
const created = fact('EnvSessionCreated', createdData)
const stepped = (
  step: number,
  effect_id: string,
  more: Partial<EnvSessionEventData<'EnvStepCompleted'>> = {},
) =>
  fact('EnvStepCompleted', {
    step,
    effect_id,
    tool_name: 'add',
    tool_args: { by: 1 },
    now,
    item_id: `tr_${effect_id}`,
    status: 'completed',
    content: 'ok',
    reward: 0,
    terminated: false,
    truncated: false,
    info: {},
    ...seen,
    ...more,
  })
const intended = (step: number, effect_id: string) =>
  fact('EnvStepIntended', { step, effect_id, tool_name: 'add', tool_args: { by: 1 }, now })
const closed = fact('EnvSessionClosed', { reason: 'enough' })
const deleted = fact('EnvSessionDeleted', { by: 'admin' })

const given = (...facts: EnvSessionEvent[]): SessionView =>
  facts
    .map(({ type, data }, revision) => {
      const time = new Date(now + revision * 1000).toISOString()
      const header = { stream: 'env-s1', revision, type, time, principal: 'admin' } as Recorded['header']
      return sessionEvents.read({ position: revision + 1, header, data })
    })
    .reduce(evolveSession, emptySession())

const asked = { principal: 'admin', causation: 'req_1' }
const by = { ...asked, no: 1 }
const create = (
  session: Partial<Extract<SessionRequest, { type: 'CreateSession' }>['session']> = {},
  name = 'sum',
): SessionRequest => ({
  type: 'CreateSession',
  session: {
    session_id: 's1',
    env_id: 'e2',
    user_id: 'u1',
    client_id: 'c1',
    kwargs: { b: { c: 2 }, a: 1 },
    env_vars: {},
    ...session,
  },
  source: { name, module: 'sum.mjs', className: 'Sum', digest: 'd' },
  values: {},
  seed: 7,
  keys: { digest: 'body' },
  ...by,
})
const stepOf = (more: Partial<StepRequest> = {}): StepRequest => ({
  toolName: 'add',
  toolArgs: { by: 2 },
  effectId: 'new',
  itemId: 'tr_new',
  keys: { digest: 'x' },
  ...more,
})
const take = (more: Partial<StepRequest> = {}): SessionRequest => ({
  type: 'TakeStep',
  step: stepOf(more),
  ...by,
})
const reset: SessionRequest = {
  type: 'ResetSession',
  seed: 9,
  options: { x: 1 },
  keys: { digest: 'r' },
  ...by,
}
const observe: SessionRequest = { type: 'ObserveSession', ...by }
const close: SessionRequest = { type: 'CloseSession', reason: 'closed', ...by }
const remove: SessionRequest = { type: 'DeleteSession', ...by }

const histories = {
  absent: [],
  active: [created],
  closed: [created, closed],
  deleted: [created, closed, deleted],
} satisfies Record<SessionState, EnvSessionEvent[]>
const states = Object.keys(histories) as SessionState[]
const facts: EnvSessionEventType[] = [
  'EnvSessionCreated',
  'EnvStepIntended',
  'EnvStepCompleted',
  'EnvSessionReset',
  'EnvSessionClosed',
  'EnvSessionDeleted',
]

t.test('the machine and the table agree on every state and fact', t => {
  // Written from the decisions, not from the code.
  const allowed: Record<SessionState, Partial<Record<EnvSessionEventType, SessionState>>> = {
    absent: { EnvSessionCreated: 'active' },
    active: {
      EnvStepIntended: 'active',
      EnvStepCompleted: 'active',
      EnvSessionReset: 'active',
      EnvSessionClosed: 'closed',
    },
    closed: { EnvSessionCreated: 'active', EnvSessionDeleted: 'deleted' },
    deleted: { EnvSessionCreated: 'active' },
  }
  for (const state of states) {
    for (const type of facts) {
      const expected = allowed[state][type]
      t.equal(sessionMoveOf(state, type), expected, `${type} from ${state}, by the table`)
      const machine = createActor(envSessionMachine, {
        snapshot: envSessionMachine.resolveState({ value: state }),
      }).start()
      machine.send({ type })
      t.equal(machine.getSnapshot().value, expected ?? state, `${type} from ${state}, by the machine`)
      if (expected === undefined) t.throws(() => sessionStateAfter(state, type), `${type} from ${state}`)
      else t.equal(sessionStateAfter(state, type), expected)
    }
    t.same(machineOfSession(state), {
      machine: sessionChart,
      state,
      value: state,
      next_events: Object.keys(allowed[state]),
    })
    t.equal(given(...histories[state]).state, state)
  }
  t.end()
})

const gone = (state: SessionState) =>
  refused('SessionNotFound', state === 'absent' ? undefined : { reason: 'enough' })

t.test('of a session that is not active nothing is done but what ends it, or begins it again', t => {
  for (const state of ['absent', 'closed', 'deleted'] as const) {
    const view = given(...histories[state])
    for (const command of [take(), reset, observe]) {
      t.throws(() => check(view, command), gone(state), `${command.type}, ${state}`)
    }
  }
  for (const state of ['absent', 'deleted'] as const) {
    for (const command of [close, remove]) {
      t.throws(() => check(given(...histories[state]), command), gone(state), `${command.type}, ${state}`)
    }
  }
  t.equal(check(given(...histories.closed), close), 'nothing')
  t.equal(check(given(...histories.closed), remove), 'do')
  for (const command of [take(), reset, observe, close, remove]) {
    t.equal(check(given(created), command), 'do', command.type)
  }
  t.end()
})

t.test('a create is done, or is there already, or is in the way of another', t => {
  t.equal(check(given(), create()), 'do')
  t.equal(check(given(created), create()), 'nothing', 'equal arguments in another order are equal')
  t.equal(check(given(created), create({ client_id: 'other' })), 'nothing')
  t.throws(() => check(given(created), create({ kwargs: {} })), refused('Conflict'))
  t.throws(() => check(given(created), create({}, 'other')), refused('Conflict'))
  t.equal(check(given(created, closed), create({ kwargs: {} }, 'other')), 'do')
  t.equal(check(given(created, closed, deleted), create({ kwargs: {} }, 'other')), 'do')
  for (const state of ['active', 'closed', 'deleted'] as const) {
    const foreign = () => check(given(...histories[state]), create({ user_id: 'u2' }))
    t.throws(foreign, refused('SessionNotFound'), `another user's, ${state}`)
  }
  t.end()
})

t.test('a step that was taken is not taken again', t => {
  const key = { idempotencyKey: 'k', digest: 'x' }
  const view = given(created, stepped(1, 'old', { idempotency_key: 'k', digest: 'x' }), stepped(2, 'older'))
  t.equal(check(view, take({ effectId: 'old' })), 'nothing', 'by its effect')
  t.equal(check(view, take({ keys: key })), 'nothing', 'by its key')
  t.throws(() => check(view, take({ keys: { ...key, digest: 'y' } })), refused('Conflict'))
  t.equal(
    check(view, take({ keys: { idempotencyKey: 'l', digest: 'x' } })),
    'do',
    'an equal one by another key',
  )
  t.equal(check(view, take({ keys: { digest: 'x' } })), 'do', 'and one without a key')
  const over = given(created, stepped(1, 'old', { idempotency_key: 'k', digest: 'x' }), closed)
  t.equal(check(over, take({ effectId: 'old' })), 'nothing', 'also when the session has closed')
  const again = given(created, stepped(1, 'old', { idempotency_key: 'k', digest: 'x' }), closed, created)
  t.equal(check(again, take({ keys: key })), 'nothing', 'or has begun again')
  t.end()
})

t.test('a step without a key is the newest one again only if it may be', t => {
  const view = given(
    created,
    stepped(1, 'one', { body_digest: 'x' }),
    stepped(2, 'two', { body_digest: 'y' }),
  )
  const asked: number[] = []
  const repeats = (revision: number) => {
    asked.push(revision)
    return true
  }
  t.equal(check(view, take({ keys: { bodyDigest: 'y' } }), repeats), 'nothing')
  t.equal(check(view, take({ keys: { bodyDigest: 'x' } }), repeats), 'do', 'an older one is not looked for')
  t.equal(
    check(view, take({ keys: { bodyDigest: 'y' } }), () => false),
    'do',
  )
  t.equal(check(view, take({ keys: { bodyDigest: 'y' } })), 'do')
  t.same(asked, [2])
  t.end()
})

t.test('a step has the number that is expected, and none follows the last', t => {
  const view = given(created, stepped(1, 'a'))
  t.equal(check(view, take({ expectedStep: 2 })), 'do')
  for (const expectedStep of [1, 3]) {
    t.throws(
      () => check(view, take({ expectedStep })),
      refused('Conflict', { expected_step: expectedStep, step: 1 }),
    )
  }
  const done = given(
    created,
    stepped(1, 'a', { done: true, terminated: true, idempotency_key: 'k', digest: 'x' }),
  )
  t.throws(() => check(done, take()), refused('SessionDone', { step: 1 }))
  t.equal(check(done, take({ effectId: 'a' })), 'nothing')
  t.equal(check(done, take({ keys: { idempotencyKey: 'k', digest: 'x' } })), 'nothing')
  t.equal(check(done, reset), 'do')
  t.end()
})

const answer: StepAnswer = {
  status: 'completed',
  content: 'two more',
  blocks: [],
  observation: { total: 2 },
  state: { total: 2, more: true },
  tools,
  reward: 1,
  terminated: false,
  truncated: false,
  done: false,
  info: {},
}
const typesOf = (events: EnvSessionEvent[]) => events.map(({ type }) => type)
/** What is stored is what the table allows, and can be folded. */
const lawful = (t: Test, history: EnvSessionEvent[], events: EnvSessionEvent[]): SessionView => {
  let { state } = given(...history)
  for (const { type } of events) {
    const next = sessionMoveOf(state, type)
    if (next === undefined) throw new Error(`${type} from ${state}`)
    state = next
  }
  const view = given(...history, ...events)
  t.equal(view.state, state)
  return view
}

t.test('what an environment answered to a step is what is stored, numbered after the newest', t => {
  const history = [created, stepped(1, 'a')]
  const outcome: Outcome = { of: 'step', now: now + 5, answer, stopped: false }
  const keys = { idempotencyKey: 'k', digest: 'x' }
  const events = decideOutcome(given(...history), take({ keys, taskId: 'task_1' }), outcome)
  t.same(events, [
    fact('EnvStepCompleted', {
      step: 2,
      effect_id: 'new',
      tool_name: 'add',
      tool_args: { by: 2 },
      now: now + 5,
      item_id: 'tr_new',
      status: 'completed',
      content: 'two more',
      reward: 1,
      terminated: false,
      truncated: false,
      done: false,
      info: {},
      observation: { total: 2 },
      state: { total: 2, more: true },
      task_id: 'task_1',
      idempotency_key: 'k',
      digest: 'x',
    }),
  ])
  const view = lawful(t, history, events)
  t.match(view, { step: 2, observation: { total: 2 }, observed: { total: 2, more: true }, seed: 5 })
  t.equal(view.byEffect.get('new'), 2)
  t.match(view.byKey.get(nameOfKey('admin', 'k')), { digest: 'x', revision: 2 })

  const fewer = {
    ...answer,
    tools: tools.slice(1),
    blocks: [{ type: 'b' }],
    error: 'no',
    status: 'incomplete' as const,
  }
  const snapshot = { file: '2-x.json', digest: 'z' }
  const [second] = decideOutcome(given(...history), take(), {
    of: 'step',
    now,
    answer: fewer,
    stopped: true,
    snapshot,
  })
  t.match(second, {
    data: { tools: tools.slice(1), blocks: [{ type: 'b' }], info: { error: 'no' }, stopped: true, snapshot },
  })
  t.equal(given(...history, second as EnvSessionEvent).tools.length, tools.length - 1)
  t.end()
})

t.test('a step that an environment did not survive is told, and ends the session', t => {
  const history = [created, stepped(1, 'a')]
  const events = decideOutcome(given(...history), take(), {
    of: 'loss',
    now,
    reason: 'it died',
    during: 'step',
  })
  t.match(events, [
    {
      type: 'EnvStepCompleted',
      data: { step: 2, status: 'incomplete', truncated: true, done: true, info: { error: 'it died' } },
    },
    { type: 'EnvSessionClosed', data: { reason: 'it died' } },
  ])
  lawful(t, history, events)
  const before = decideOutcome(given(...history), take(), { of: 'loss', now, reason: 'code changed' })
  t.same(before, [fact('EnvSessionClosed', { reason: 'code changed' })], 'one that did not begin is not told')
  for (const command of [reset, observe]) {
    const loss = decideOutcome(given(...history), command, { of: 'loss', now, reason: 'it died' })
    t.same(loss, [fact('EnvSessionClosed', { reason: 'it died' })])
  }
  t.end()
})

t.test('a step that was begun for good is told when the session ends, as far as it is known', t => {
  const history = [created, stepped(1, 'a'), intended(2, 'b')]
  for (const [command, outcome, types] of [
    [close, { of: 'closed', now }, ['EnvStepCompleted', 'EnvSessionClosed']],
    [remove, { of: 'closed', now }, ['EnvStepCompleted', 'EnvSessionClosed', 'EnvSessionDeleted']],
    [observe, { of: 'loss', now, reason: 'gone' }, ['EnvStepCompleted', 'EnvSessionClosed']],
  ] as [SessionRequest, Outcome, string[]][]) {
    const events = decideOutcome(given(...history), command, outcome)
    t.same(typesOf(events), types, command.type)
    t.match(events[0], {
      data: {
        step: 2,
        effect_id: 'b',
        status: 'incomplete',
        truncated: true,
        info: { error: /./ },
        unknown: true,
      },
    })
    const view = lawful(t, history, events)
    t.equal(view.unknown.get('b'), 1, 'the task that asks for its first run hears that nobody knows')
    t.equal(view.byEffect.get('b'), undefined, 'and may have it run once more')
  }
  const finished = [...history, stepped(2, 'b')]
  t.same(typesOf(decideOutcome(given(...finished), close, { of: 'closed', now })), ['EnvSessionClosed'])
  t.equal(given(...history, stepped(2, 'other')).open?.effect_id, 'b', 'another step does not answer it')
  t.equal(given(...history, closed, created).open, undefined)
  t.end()
})

t.test('a step that was cut off is told, and its session goes on as it was', t => {
  const settle = { type: 'SettleStep' as const, ...asked }
  const history = [created, stepped(1, 'a', { state: { total: 1 } }), intended(2, 'b')]
  t.equal(check(given(...history), settle), 'do')
  t.equal(check(given(created), settle), 'nothing')
  const events = settleStep(given(...history), now)
  const state = { total: 1 }
  const info = { error: /is unknown/, outcome_unknown: true }
  t.same(typesOf(events), ['EnvStepCompleted'])
  t.match(events[0], {
    data: { step: 2, effect_id: 'b', done: false, truncated: false, unknown: true, state, info },
  })
  t.match(lawful(t, history, events), { step: 2, open: undefined, observed: state, done: false })
  const second = fact('EnvStepIntended', { ...(intended(3, 'b').data as object), attempt: 2 } as never)
  const twice = [...history, ...events, second]
  const again = settleStep(given(...twice), now)
  t.equal(given(...twice, ...again).unknown.get('b'), 2, 'each run of a call is told for itself')
  t.end()
})

t.test('the intent to take a step says which, with what, and by what a retry is recognized', t => {
  const keys = { digest: 'x', bodyDigest: 'y' }
  for (const [asked, stored] of [
    [keys, { body_digest: 'y' }],
    [
      { ...keys, idempotencyKey: 'k' },
      { idempotency_key: 'k', digest: 'x' },
    ],
  ] as const) {
    const intended = { step: 2, effect_id: 'new', tool_name: 'add', tool_args: { by: 2 }, now, ...stored }
    t.same(
      decideOutcome(given(created, stepped(1, 'a')), take({ keys: asked }), { of: 'ready', now }),
      [fact('EnvStepIntended', intended)],
      JSON.stringify(stored),
    )
  }
  t.end()
})

t.test('a create and a reset store the seed, the moment, and what was seen', t => {
  const outcome: Outcome = {
    of: 'reset',
    now,
    recovery: 'refold',
    showsObservation: false,
    answer: { ...answer, observation: { total: 8 } },
  }
  const history = [created, stepped(1, 'a', { done: true }), closed]
  const made = decideOutcome(given(...history), create({ secret_ref: 'sec_1' }), outcome)
  t.match(made, [
    {
      type: 'EnvSessionCreated',
      data: {
        seed: 7,
        now,
        source: { name: 'sum', digest: 'd' },
        secret_ref: 'sec_1',
        observation: { total: 8 },
      },
    },
  ])
  t.match(lawful(t, history, made), {
    step: 1,
    done: false,
    closeReason: undefined,
    seed: 7,
    newest: undefined,
  })
  const anew = decideOutcome(given(created, stepped(1, 'a', { done: true })), reset, outcome)
  t.match(anew, [
    { type: 'EnvSessionReset', data: { seed: 9, options: { x: 1 }, now, observation: { total: 8 } } },
  ])
  t.match(lawful(t, [created, stepped(1, 'a', { done: true })], anew), { step: 1, done: false, seed: 9 })
  t.end()
})

t.test('a session that is created after a deletion knows nothing of the one before', t => {
  const first = fact('EnvSessionCreated', { ...createdData, idempotency_key: 'k', digest: 'body' })
  const history = [first, stepped(1, 'a', { idempotency_key: 'k', digest: 'x' }), closed, deleted]
  const again = { ...create(), keys: { idempotencyKey: 'k', digest: 'body' } } as SessionRequest
  t.throws(() => check(given(...history), again), refused('Conflict', { idempotency_key: 'k' }))
  const events = decideOutcome(given(...history), create(), {
    of: 'reset',
    now,
    recovery: 'refold',
    showsObservation: false,
    answer,
  })
  t.notOk('steps_before' in (events[0]?.data ?? {}))
  const view = lawful(t, history, events)
  t.match(view, { step: 0, stepsBefore: 0, newest: undefined, closeReason: undefined })
  t.equal(check(view, take({ keys: { idempotencyKey: 'k', digest: 'y' } })), 'do', 'keys of steps are free')
  t.throws(() => check(view, again), refused('Conflict'), 'that of the create is not')
  t.end()
})

t.test('where nothing came of it nothing is stored', t => {
  for (const state of states) {
    for (const command of [create(), take(), reset, observe, close, remove]) {
      t.same(
        decideOutcome(given(...histories[state]), command, { of: 'nothing', now }),
        [],
        `${command.type} ${state}`,
      )
    }
    if (state !== 'active') {
      t.same(decideOutcome(given(...histories[state]), observe, { of: 'loss', now, reason: 'x' }), [])
    }
  }
  t.end()
})

t.test('a stream whose facts do not follow each other is not folded', t => {
  for (const state of states) {
    for (const event of [created, intended(1, 'a'), stepped(1, 'a'), closed, deleted]) {
      if (sessionMoveOf(state, event.type) !== undefined) continue
      t.throws(() => given(...histories[state], event), `${event.type} from ${state}`)
    }
  }
  t.throws(() => given(fact('Unknown' as never, {} as never)))
  t.end()
})
