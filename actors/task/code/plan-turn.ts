// Prepares a turn of an agent's code for its decision: who handles each call, what the output shows, and how the task ends.
import type { Move, Outcome, Turn } from '../../../src/contract/code-agent.ts'
import type {
  PlannedCall,
  PlannedMove,
  StepEvent,
  TaskCommand,
} from '../../../src/contract/commands/commands.ts'
import type { TaskEventData } from '../../../src/contract/events/task-events.ts'
import { plainText } from '../../../src/contract/plain-text.ts'
import { taskErrors } from '../../../src/contract/task-errors.ts'
import { ToolsUnavailable } from '../../../src/contract/tools.ts'
import type { ErrorObject, ToolCallItem } from '../../../src/contract/wire.ts'
import type { ModelValue } from '../../../src/history/task/journal.ts'
import { itemOf } from '../../../src/history/task/output.ts'
import type { DecidedTask } from '../../../src/history/task-view.ts'
import type { TaskDeps } from '../deps.ts'
import { scopeOf } from '../scope.ts'
import { planCalls } from '../step/planning.ts'
import { createRecorder } from '../step/recorder.ts'
import type { SaidCall } from '../step/step-draft.ts'
import { schemaOf } from '../step/step-given.ts'

const noClient =
  'a subagent cannot ask the client, who would not learn of it: ask in the agent that calls this one'

type Entry = Extract<Move, { n: number }>
type Created = TaskEventData<'TaskCreated'>
type PlannedTurn = Pick<Extract<TaskCommand, { type: 'RecordTurn' }>, 'moves' | 'end' | 'itemIds'>

/** A host that breaks the protocol. */
export class OddTurn extends Error {}

type Planning = {
  deps: Pick<
    TaskDeps,
    'tools' | 'agentOf' | 'reserve' | 'world' | 'secrets' | 'answerProblem' | 'configProblem'
  >
  view: DecidedTask
  created: Created
  agentStep: number
  signal: AbortSignal
  /** Collects functions: each releases the place that was kept for a subagent's task. */
  reserved: (() => void)[]
  /** When the code got an outcome, if it did before this turn. */
  givenAt: (move: Move) => number | undefined
}

/** A call that a model has asked for, which the output shows unless the model was silent. */
const wishedCall = (view: DecidedTask, callId: string): { call: SaidCall; isShown: boolean } | undefined => {
  const wished = view.wishedCalls.get(callId)
  if (wished !== undefined) {
    const { name, itemId } = wished
    return {
      call: { callId, name, arguments: (itemOf(view, itemId) as ToolCallItem).arguments },
      isShown: true,
    }
  }
  for (const result of view.results) {
    if (!('value' in result) || view.entries[result.n - 1]?.do !== 'model') continue
    const call = (result.value as ModelValue).calls.find(({ call_id }) => call_id === callId)
    if (call !== undefined && !view.calls.has(callId)) {
      return { call: { callId, name: call.name, arguments: call.arguments }, isShown: false }
    }
  }
  return undefined
}

const saidCall = (
  callId: string,
  itemId: string,
  step: number,
  { name, arguments: text }: SaidCall,
): StepEvent => ({
  type: 'ItemSaid',
  data: {
    agent_step: step,
    item_id: itemId,
    item: 'tool_call',
    part: 'arguments',
    texts: [text],
    call: { call_id: callId, name },
  },
})

const planEntry = async (planning: Planning, move: Entry, now: number): Promise<PlannedMove> => {
  const { deps, view, created, agentStep, signal, reserved } = planning
  const { ids } = deps.world
  const { digest, timeout_ms } = move
  const timed = timeout_ms === undefined ? {} : { until: now + timeout_ms }
  const base = { do: move.do, digest, ...timed }
  const say = (item: 'message' | 'reasoning', text: string): PlannedMove => {
    const recorder = createRecorder(agentStep, ids, { stream: undefined, odd: [] })
    const part = item === 'message' ? 'output_text' : 'reasoning_text'
    if (text !== '') recorder.hear({ say: 'item', item, part, texts: [text] })
    return { entry: base, events: recorder.take() }
  }
  const bare = (name: string, isSafe: boolean, more: object = {}): PlannedMove => ({
    entry: { ...base, ...more },
    events: [],
    call: { plan: 'bare', name, safe: isSafe },
  })
  const plan = async (call: SaidCall): Promise<PlannedCall> => {
    const caller = { created, agentStep, scope: scopeOf(deps, created), isOver: view.lastCall !== undefined }
    try {
      const [planned] = await planCalls(deps, caller, [call], signal, reserved)
      if (planned === undefined) throw new Error('a call has no plan')
      return planned
    } catch (error) {
      // The code gets an error, and may try again.
      if (!(error instanceof ToolsUnavailable)) throw error
      return refuse(call, error.message)
    }
  }
  const refuse = ({ callId }: SaidCall, why: string): PlannedCall => ({
    ...{ plan: 'refuse', callId, why },
    itemId: ids.next('tr_'),
  })
  const saying = (name: string, args: unknown): { call: SaidCall; events: StepEvent[] } => {
    const call = { callId: ids.next('call_'), name, arguments: JSON.stringify(args) }
    return { call, events: [saidCall(call.callId, ids.next('tc_'), agentStep, call)] }
  }

  switch (move.do) {
    case 'say':
      return say('message', move.text)
    case 'think':
      return say('reasoning', move.text)
    case 'sleep':
      return bare('sleep', true, { until: move.until })
    case 'message':
      return bare('message', true)
    case 'run':
      return bare(`run:${move.name}`, move.safe === true, { name: move.name })
    case 'env':
      return bare(`env:${move.name}`, true, { name: move.name, ask: move.arguments })
    case 'model': {
      const { do: _, n: __, digest: ___, timeout_ms: ____, ...ask } = move
      if (ask.continues !== undefined && view.entries[ask.continues - 1]?.do !== 'model') {
        throw new OddTurn(`entry ${move.n} continues entry ${ask.continues}, which is no call of a model`)
      }
      return bare('model', true, { ask })
    }
    case 'ask': {
      const { call, events } = saying(move.name, move.arguments)
      const { callId, name } = call
      const isSubagent = created.parent_task_id !== undefined && created.turn === undefined
      const client: PlannedCall = { plan: 'client', callId, name, arguments: call.arguments }
      return {
        entry: { ...base, name: move.name, ...(move.schema && { ask: { schema: move.schema } }) },
        events,
        call: isSubagent ? refuse(call, noClient) : client,
      }
    }
    case 'agent': {
      const { call, events } = saying(`agent_${move.name}`, { input: plainText(move.input) })
      const problem = move.config === undefined ? undefined : deps.configProblem(move.config)
      const planned = problem === undefined ? await plan(call) : refuse(call, problem)
      const given = { input: move.input, ...(move.config === undefined ? {} : { config: move.config }) }
      if (planned.plan === 'delegate') giveSubagent(planned.child.request, given)
      if (planned.plan === 'approve') planned.subagent = given
      return { entry: { ...base, name: move.name }, events, call: planned }
    }
    case 'tool': {
      if ('call_id' in move) {
        const wished = wishedCall(view, move.call_id)
        if (wished === undefined) throw new OddTurn(`no model has asked for the call ${move.call_id}`)
        const { call, isShown } = wished
        const events = isShown ? [] : [saidCall(call.callId, ids.next('tc_'), agentStep, call)]
        return { entry: { ...base, name: call.name }, events, call: await plan(call) }
      }
      const { call, events } = saying(move.name, move.arguments)
      return { entry: { ...base, name: move.name }, events, call: await plan(call) }
    }
  }
}

type GivenSubagent = NonNullable<TaskEventData<'ApprovalRequired'>['subagent']>

/**
 * Gives a subagent what the code says besides the arguments of the call. No configuration takes away approvals that the
 * caller's task needs.
 */
export const giveSubagent = (request: Created['request'], { input, config }: GivenSubagent): void => {
  request.user_message_content = input
  if (config === undefined) return
  const own = Array.isArray(config.approve) ? (config.approve as string[]) : []
  const approve = [...(request.agent_config?.approve ?? []), ...own]
  request.agent_config = { ...request.agent_config, ...config, ...(approve.length === 0 ? {} : { approve }) }
}

/** `at`: when the code got the outcome; undefined: it has not got it. */
export const outcomeOf = (move: Extract<Move, { do: 'ran' }>, at: number | undefined): PlannedMove => {
  const about = { ran: move.of, ...(at === undefined ? {} : { at }) }
  if ('error' in move) {
    const { message, ...more } = move.error
    const error = { kind: 'run' as const, ...more }
    return { ...about, outcome: { status: 'incomplete', content: message, error } }
  }
  return { ...about, outcome: { status: 'completed', content: JSON.stringify(move.value ?? null) } }
}

const named = ({ do: what, name }: { do: string; name?: string }) =>
  name === undefined ? what : `${what} "${name}"`

const failureOf = (outcome: Exclude<Outcome, { answer: unknown }>): ErrorObject => {
  if ('error' in outcome) {
    const { message, name } = outcome.error
    return { code: taskErrors.AgentFailed.code, message, ...(name === undefined ? {} : { data: { name } }) }
  }
  const { n, was, is } = outcome.changed
  const now =
    is === undefined
      ? 'the code does not ask for it any more'
      : `the code asks for ${named(is)}${named(was) === named(is) ? ', with other arguments' : ''}`
  const message = `the code of the agent has changed: entry ${n} of its journal is ${named(was)}, and ${now}`
  return {
    code: taskErrors.AgentChanged.code,
    message,
    data: { name: 'AgentChanged', n, was, ...(is === undefined ? {} : { is }) },
  }
}

/** The text of the newest message of the agent, also of this turn. */
const newestText = (view: DecidedTask, moves: readonly Move[]): string | undefined => {
  const said = moves.findLast(move => move.do === 'say')
  if (said !== undefined) return said.text
  const item = view.output.findLast(({ type, status }) => type === 'message' && status === 'completed')
  return item?.type === 'message' && item.role === 'assistant'
    ? plainText(item.message_content, '')
    : undefined
}

const endOf = async (
  planning: Planning,
  outcome: Outcome,
  moves: readonly Move[],
): Promise<PlannedTurn['end']> => {
  const { deps, view, created, agentStep } = planning
  if (!('answer' in outcome)) return { end: 'fail', error: failureOf(outcome) }
  const { answer = null } = outcome
  const text = typeof answer === 'string' ? answer : answer === null ? '' : JSON.stringify(answer)
  const schema = schemaOf(created.request)
  const problem = schema === undefined ? undefined : await deps.answerProblem(schema, text, created.user_id)
  if (problem !== undefined) return { end: 'fail', error: problem }
  const recorder = createRecorder(agentStep, deps.world.ids, { stream: undefined, odd: [] })
  if (text !== '' && text !== newestText(view, moves)) {
    recorder.hear({ say: 'item', item: 'message', part: 'output_text', texts: [text] })
  }
  return { end: 'answer', events: recorder.take() }
}

/** Prepares a turn. A turn that ends the task begins nothing. Throws OddTurn for a turn that breaks the protocol. */
export const planTurn = async (planning: Planning, { moves, outcome }: Turn): Promise<PlannedTurn> => {
  const { deps, view } = planning
  const now = deps.world.clock.now()
  const entries = moves.filter((move): move is Entry => 'n' in move)
  const wrong = entries.find(({ n }, index) => n !== view.entries.length + index + 1)
  if (wrong !== undefined) {
    throw new OddTurn(`an entry has the number ${wrong.n} where ${view.entries.length + 1} comes next`)
  }
  const kept =
    outcome === undefined
      ? moves
      : moves.filter(({ do: what }) => ['say', 'think', 'ran', 'drop'].includes(what))
  const planned = await Promise.all(
    kept.map(async (move): Promise<PlannedMove> => {
      if (move.do === 'ran') return outcomeOf(move, planning.givenAt(move))
      if (move.do === 'drop') return { drop: move.of }
      return planEntry(planning, move, now)
    }),
  )
  const end = outcome === undefined ? {} : { end: await endOf(planning, outcome, moves) }
  const open = outcome === undefined ? 0 : view.calls.size
  const itemIds = Array.from({ length: kept.length + open }, () => deps.world.ids.next('tr_'))
  return { moves: planned, ...end, itemIds } as PlannedTurn
}
