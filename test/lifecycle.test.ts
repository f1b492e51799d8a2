// The states and moves of the interface, written out here from the document. Code has them twice (the machine,
// and the table that replay uses); both are held against this one.
import t from 'tap'
import { createActor } from 'xstate'
import { taskMachine } from '../actors/task/machine.ts'
import { type TaskEventType, taskEventSchemas } from '../src/contract/task-events.ts'
import { statusAfter } from '../src/contract/task-lifecycle.ts'

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
const machineIn = (state: State) =>
  createActor(taskMachine, { snapshot: taskMachine.resolveState({ value: state }) }).start()

t.test('the interface knows nineteen moves, each once', async t => {
  t.equal(moves.length, 19)
  t.equal(new Set(moves.map(([from, to]) => `${from} ${to}`)).size, 19)
})

t.test('every fact of a move is a fact of the log', async t => {
  for (const fact of movers) t.ok(facts.includes(fact), fact)
})

for (const state of states) {
  t.test(`from ${state} every fact leads where the interface says, in replay and in the machine`, async t => {
    for (const fact of facts) {
      const expected = documented(state, fact)
      t.equal(byTable(state, fact), expected, `replay: ${fact}`)
      const machine = machineIn(state)
      const isMove = movers.has(fact) && expected !== 'refused'
      t.equal(machine.getSnapshot().can({ type: fact }), isMove, `the machine may: ${fact}`)
      machine.send({ type: fact })
      t.equal(machine.getSnapshot().value, isMove ? expected : state, `the machine after ${fact}`)
      t.equal(machine.getSnapshot().status, 'active', `the machine goes on after ${fact}`)
    }
  })
}

t.test(
  'the machine has the states of the wire and one more, and reaches each of them from the start',
  async t => {
    t.same(Object.keys(taskMachine.states).sort(), [...states].sort())
    const reached = new Set<State>(['absent'])
    for (const state of reached) {
      for (const fact of facts) {
        const machine = machineIn(state)
        machine.send({ type: fact })
        reached.add(machine.getSnapshot().value as State)
      }
    }
    t.same([...reached].sort(), [...states].sort())
  },
)

t.test('nothing leaves a terminal state', async t => {
  for (const state of ['completed', 'canceled', 'expired', 'failed'] as const) {
    for (const fact of facts)
      t.not(machineIn(state).getSnapshot().can({ type: fact }), true, `${state}: ${fact}`)
  }
})

t.test('the machine starts nothing by itself', async t => {
  const { states: nodes, config } = taskMachine
  t.notOk('invoke' in config)
  for (const [name, node] of Object.entries(nodes)) {
    t.equal(node.invoke.length, 0, `${name} invokes nothing`)
    t.equal(node.after.length, 0, `${name} waits for nothing`)
    t.notOk(node.always?.length, `${name} moves by facts alone`)
    t.not(node.type, 'final', `${name} is not final`)
  }
})
