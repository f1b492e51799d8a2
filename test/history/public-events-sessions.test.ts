// Every fact of an environment session, and the one public event that it gives, or none.
import t from 'tap'
import {
  type EnvSessionEventData,
  type EnvSessionEventType,
  envSessionStream,
} from '../../src/contract/events/env-session-events.ts'
import { optInEvents, publicEventSchemas } from '../../src/contract/events/public-events.ts'
import type { Recorded } from '../../src/contract/stored.ts'
import { publicEventOf } from '../../src/history/public-events.ts'
import { mustFitSchema } from './public-lawful.ts'

const time = '2026-01-01T00:00:00.000Z'
const stored = (type: string, data: unknown, stream = envSessionStream('maze')): Recorded => ({
  position: 3,
  header: {
    stream,
    revision: 0,
    type,
    schema_version: 1,
    time,
    principal: 'admin',
    owner: 'anna',
    session_id: 'maze',
    correlation_id: 'maze',
    causation_id: 'req_1',
    build: 'test',
  },
  data,
})

const seen = { observation: { secret: 'seen' }, state: { secret: 'state' }, done: false }
const created: EnvSessionEventData<'EnvSessionCreated'> = {
  session_id: 'maze',
  env_id: 'gridworld',
  user_id: 'anna',
  client_id: 'default',
  source: { name: 'gridworld', digest: 'd' },
  recovery: 'refold',
  kwargs: { secret: 'kwargs' },
  env_vars: { KEY: '***' },
  seed: 7,
  now: 0,
  tools: [],
  ...seen,
}
const step: EnvSessionEventData<'EnvStepCompleted'> = {
  step: 4,
  effect_id: 'call_1',
  tool_name: 'move',
  tool_args: { secret: 'args' },
  now: 0,
  item_id: 'tr_1',
  status: 'completed',
  content: 'secret content',
  reward: 0.5,
  terminated: true,
  truncated: false,
  info: { secret: 'info' },
  ...seen,
  done: true,
}
const told = (type: string, fields: object = {}) => ({
  type,
  timestamp: time,
  session_id: 'maze',
  ...fields,
})
const stepped = { step: 4, tool_name: 'move', reward: 0.5, done: true }

type Case<T extends EnvSessionEventType> = [data: EnvSessionEventData<T>, expected: object | undefined]
/** The fact, and the whole event as a subscriber gets it; every fact is here, or this does not compile. */
const cases: { [T in EnvSessionEventType]: Case<T>[] } = {
  EnvSessionCreated: [[created, told('EnvSessionCreated', { env_id: 'gridworld', user_id: 'anna' })]],
  EnvStepIntended: [[{ step: 4, effect_id: 'call_1', tool_name: 'move', tool_args: {}, now: 0 }, undefined]],
  EnvStepCompleted: [
    [step, told('EnvStepCompleted', stepped)],
    [{ ...step, task_id: 'task_1' }, told('EnvStepCompleted', { ...stepped, task_id: 'task_1' })],
  ],
  EnvSessionReset: [[{ seed: 9, options: {}, now: 0, ...seen }, told('EnvSessionReset', { seed: 9 })]],
  EnvSessionClosed: [[{ reason: 'closed' }, told('EnvSessionClosed', { reason: 'closed' })]],
  EnvSessionDeleted: [[{ by: 'admin' }, told('EnvSessionDeleted')]],
}

for (const [type, each] of Object.entries(cases)) {
  t.test(
    `${type} gives ${each[0]?.[1] === undefined ? 'nothing' : 'its event, and nothing else of it'}`,
    async t => {
      for (const [data, expected] of each) {
        const event = publicEventOf(stored(type, data))
        t.same(event, expected)
        if (event === undefined) continue
        mustFitSchema(event)
        t.notMatch(JSON.stringify(event), /secret|KEY/)
      }
    },
  )
}

t.test('what is no fact of a session gives nothing, wherever it stands', async t => {
  t.equal(publicEventOf(stored('TaskDeleted', { by: 'x' })), undefined)
  for (const stream of ['task-maze', 'tools-maze', 'maze', 'an-env-maze'])
    t.equal(publicEventOf(stored('EnvSessionDeleted', { by: 'x' }, stream)), undefined, stream)
})

t.test(
  'the events that are heard by name are those that the interface does not know: of sessions and webhooks',
  async t => {
    t.same(
      [...optInEvents].sort(),
      Object.keys(publicEventSchemas)
        .filter(name => /^(Env|Webhook)/.test(name))
        .sort(),
    )
  },
)
