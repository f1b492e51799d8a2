// The states and moves of the interface, written out here from the document. Code has them once, in the chart of a
// task; what replay and XState read from it is held against this table.
import t from 'tap'
import { createActor } from 'xstate'
import { nestedValue, statesOf } from '../src/contract/charts/chart.ts'
import { type TaskPlace, taskChart } from '../src/contract/charts/task-chart.ts'
import { canFollow, movesFrom, stateAfter, statusAfter } from '../src/contract/charts/task-state.ts'
import { type TaskEventType, taskEventSchemas } from '../src/contract/events/task-events.ts'
import { taskMachine } from './actors/machines.ts'

const states = [
  'absent',
  'created',
  'queued',
  'working',
  'input-required',
  'paused',
  'completed',
  'canceled',
  'expired',
  'failed',
] as const
type State = (typeof states)[number]

/** From, to, and the fact that makes the move. */
const moves: [State, State, TaskEventType][] = [
  ['created', 'queued', 'TaskQueued'],
  ['created', 'working', 'TaskStarted'],
  ['created', 'canceled', 'TaskCanceled'],
  ['created', 'expired', 'TaskExpired'],
  ['queued', 'working', 'TaskStarted'],
  ['queued', 'canceled', 'TaskCanceled'],
  ['queued', 'expired', 'TaskExpired'],
  ['working', 'input-required', 'InputRequired'],
  ['working', 'paused', 'TaskPaused'],
  ['working', 'completed', 'TaskCompleted'],
  ['working', 'failed', 'TaskFailed'],
  ['working', 'canceled', 'TaskCanceled'],
  ['working', 'expired', 'TaskExpired'],
  ['input-required', 'working', 'InputAnswered'],
  ['input-required', 'canceled', 'TaskCanceled'],
  ['input-required', 'expired', 'TaskExpired'],
  ['paused', 'working', 'TaskResumed'],
  ['paused', 'canceled', 'TaskCanceled'],
  ['paused', 'expired', 'TaskExpired'],
]
const creation: [State, State, TaskEventType] = ['absent', 'created', 'TaskCreated']
const all = [...moves, creation]
const facts = Object.keys(taskEventSchemas) as TaskEventType[]
const movers = new Set(all.map(([, , fact]) => fact))

/** Where a fact leads from a state: another state, the same one, or nowhere. */
const documented = (state: State, fact: TaskEventType): State | 'refused' => {
  if (!movers.has(fact)) return state
  return all.find(([from, , by]) => from === state && by === fact)?.[1] ?? 'refused'
}
const byTable = (state: State, fact: TaskEventType): string => {
  try {
    return statusAfter(state, fact)
  } catch {
    return 'refused'
  }
}
/** The innermost states of the chart. */
const places = statesOf(taskChart)
  .filter(({ node }) => node.states === undefined)
  .map(({ path }) => path.join('.') as TaskPlace)
const machineIn = (place: TaskPlace, open: string[]) =>
  createActor(taskMachine, {
    snapshot: taskMachine.resolveState({ value: nestedValue(place), context: { open } }),
  }).start()

t.test('the interface knows nineteen moves, each once', async t => {
  t.equal(moves.length, 19)
  t.equal(new Set(moves.map(([from, to]) => `${from} ${to}`)).size, 19)
})

t.test('every fact of a move is a fact of the log', async t => {
  for (const fact of movers) t.ok(facts.includes(fact), fact)
})

for (const state of states) {
  t.test(`from ${state} every fact leads where the interface says`, async t => {
    for (const fact of facts) t.equal(byTable(state, fact), documented(state, fact), fact)
    const known = all.flatMap(([from, , fact]) => (from === state ? [fact] : []))
    t.same(movesFrom(state).sort(), known.sort())
  })
}

/** Data with which a fact is about a call. */
const about = (fact: TaskEventType, call_id: string) =>
  fact === 'InputAccepted' ? { item: { type: 'tool_result', call_id } } : { call_id }

t.test('the machine goes where the table goes, from every place, with and without open calls', async t => {
  for (const at of places) {
    for (const open of [[], ['a'], ['a', 'b']]) {
      for (const fact of facts) {
        for (const data of [about(fact, 'a'), about(fact, 'new')]) {
          const machine = machineIn(at, open)
          machine.send({ type: fact, data })
          const { value, context, status } = machine.getSnapshot()
          const isAllowed = canFollow({ at, open }, fact) || !movers.has(fact)
          const expected = isAllowed ? stateAfter({ at, open }, fact, data) : { at, open }
          const what = `${fact} of ${JSON.stringify(data)} from ${at} with ${open}`
          t.same(value, nestedValue(expected.at), what)
          t.same(context.open, expected.open, what)
          t.equal(status, 'active', what)
        }
      }
    }
  }
})

t.test('the chart has the states of the wire and one more, and reaches each of its places', async t => {
  t.same(Object.keys(taskMachine.states).sort(), [...states].sort())
  const reached = new Set<TaskPlace>(['absent'])
  for (const at of reached) {
    for (const open of [[], ['a'], ['a', 'b']]) {
      for (const fact of facts.filter(fact => canFollow({ at, open }, fact))) {
        reached.add(stateAfter({ at, open }, fact, about(fact, 'a')).at)
      }
    }
  }
  t.same([...reached].sort(), [...places].sort())
})

t.test(
  'nothing leaves a terminal state, and only the cancel itself leaves a task that is being canceled',
  async t => {
    for (const at of ['completed', 'canceled', 'expired', 'failed'] as const) {
      for (const fact of facts) t.notOk(canFollow({ at, open: [] }, fact), `${at}: ${fact}`)
    }
    t.same(
      facts.filter(fact => canFollow({ at: 'working.canceling', open: ['a'] }, fact)),
      ['TaskCanceled'],
    )
  },
)

t.test(
  'a stored event that the chart forbids in this inner state is followed if the status allows it',
  async t => {
    const canceling = { at: 'working.canceling', open: [] } as const
    t.equal(stateAfter(canceling, 'TaskCompleted', {}).at, 'completed')
    t.throws(
      () => stateAfter(canceling, 'TaskResumed', {}),
      /the event TaskResumed is not allowed in the status working/,
    )
  },
)

t.test('the machine starts nothing by itself', async t => {
  t.notOk('invoke' in taskMachine.config)
  const within = (nodes: typeof taskMachine.states): (typeof taskMachine.root)[] =>
    Object.values(nodes).flatMap(node => [node, ...within(node.states as typeof taskMachine.states)])
  for (const node of within(taskMachine.states)) {
    t.equal(node.invoke.length, 0, `${node.id} invokes nothing`)
    t.equal(node.after.length, 0, `${node.id} waits for nothing`)
    t.notOk(node.always?.length, `${node.id} moves by facts alone`)
    t.not(node.type, 'final', `${node.id} is not final`)
  }
})
