// Decides which events follow from a turn of an agent's code, from its timers, and from what its calls of models say. Pure.
import { isCanceling, isPausing } from '../../../src/contract/charts/task-state.ts'
import type { PlannedMove, TaskCommand } from '../../../src/contract/commands/commands.ts'
import {
  asked,
  mostAsks,
  type StoredEntry,
  type TaskEvent,
  type TaskEventData,
} from '../../../src/contract/events/task-events.ts'
import { type Call, callEffectId, isAsking, isPassive, openCalls } from '../../../src/history/task/calls.ts'
import { noTimer } from '../../../src/history/task/code.ts'
import { effectIdOf } from '../../../src/history/task/steps.ts'
import type { DecidedTask } from '../../../src/history/task-view.ts'
import { planned, waitOf, waitsFor } from './calls.ts'
import { type At, agentDone, cut, type Decide, type Decision, deadline, goesOn, pausedFor } from './events.ts'
import { makeChild } from './make-child.ts'

type Turn = Extract<TaskCommand, { type: 'RecordTurn' }>
type NewEntry = Extract<PlannedMove, { entry: StoredEntry }>
/** The client is asked, or something runs: the plan of a call that has no result yet. */
type Begun = { entry: StoredEntry; call: NonNullable<NewEntry['call']>; effectId: string | undefined }

type Open = Pick<Call, 'callId' | 'itemId' | 'said' | 'saying'> & { effect: { id: string } | undefined }

/** The call of an entry that has no result yet. */
const openCallOf = (view: DecidedTask, n: number): Call | undefined => {
  const call = view.calls.get(view.entries[n - 1]?.call_id ?? '')
  return call?.ended === false ? call : undefined
}

/** Whether calls of the code run on the server or in its host. One that asks the client waits for it. */
export const hasActive = (view: DecidedTask, ended: ReadonlySet<string> = new Set()): boolean =>
  openCalls(view).some(call => !isPassive(call) && !isAsking(call) && !ended.has(call.callId))

/** A call that the code wants no more, or that has timed out: it ends with an error. */
export const stopped = (
  view: DecidedTask,
  call: Open,
  kind: 'dropped' | 'timeout',
  itemId: string | undefined,
): TaskEvent[] => {
  const { callId, effect } = call
  const content = kind === 'timeout' ? 'the call has timed out' : 'the agent has stopped the call'
  const item = call.itemId === '' ? { bare: true as const } : { item_id: call.said?.itemId ?? itemId ?? '' }
  const data: TaskEventData<'EffectCompleted'> = {
    agent_step: view.completedSteps,
    ...(effect === undefined ? {} : { effect_id: effect.id }),
    ...item,
    call_id: callId,
    status: 'incomplete',
    ...(call.said === undefined ? { content } : { said: true, content: '' }),
    error: { kind },
  }
  const open = effect === undefined || call.saying === undefined ? [] : cut(view, [{ ...call, effect }])
  return [...open, { type: 'EffectCompleted', data }]
}

/** The entry waits for a message of the user: this one came. */
const gotMessage = (
  { callId, effectId }: { callId: string; effectId: string },
  message: string,
  agent_step: number,
): TaskEvent[] => [
  { type: 'InputConsumed', data: { agent_step, items: [message] } },
  {
    type: 'EffectCompleted',
    data: {
      ...{ agent_step, effect_id: effectId, call_id: callId },
      ...{ status: 'completed', content: '', bare: true, message },
    },
  },
]

const openMessageWaits = (view: DecidedTask) =>
  openCalls(view)
    .filter(({ kind }) => kind === 'message')
    .map(({ callId, effect }) => ({ callId, effectId: effect.id }))

/** The events for a message that an agent's code may wait for. The message itself comes before them. */
export const messageCame = (view: DecidedTask, itemId: string, at: At): TaskEvent[] => {
  const isAwake = view.status === 'working' || view.status === 'input-required'
  if (view.agentVersion === undefined || !isAwake || isCanceling(view.state)) return []
  const [first] = openMessageWaits(view)
  const wakes = view.status === 'input-required' ? [goesOn(at)] : []
  if (first !== undefined) return [...wakes, ...gotMessage(first, itemId, view.completedSteps)]
  // The message does not wake the code, which still waits for the same timers.
  return view.state.at === 'working.waiting' ? [waitsUntil(view.completedSteps, view.wakesAt)] : []
}

const waitsUntil = (agent_step: number, until: number | undefined): TaskEvent => ({
  type: 'AgentWaits',
  data: { agent_step, ...(until === undefined || until === noTimer ? {} : { until }) },
})

const begunBy = (moves: readonly PlannedMove[], effectId: string): NewEntry[] => {
  let calls = 0
  return moves.flatMap(move => {
    if (!('entry' in move)) return []
    const { call } = move
    if (call === undefined) return [move]
    calls++
    if (call.plan !== 'bare') return [{ ...move, entry: { ...move.entry, call_id: call.callId } }]
    return [{ ...move, entry: { ...move.entry, call_id: callEffectId(effectId, calls) } }]
  })
}

/** The entries of a turn that the turn itself drops. For such an entry no subagent is made. */
const droppedAtOnce = (
  view: DecidedTask,
  { moves }: Turn,
  entries: readonly NewEntry[],
): ReadonlySet<StoredEntry> =>
  new Set(
    moves.flatMap(move =>
      'drop' in move ? (entries[move.drop - view.entries.length - 1]?.entry ?? []) : [],
    ),
  )

/** The intents of the calls of a turn, and the results of those that are refused. */
const intended = (
  entries: readonly NewEntry[],
  dropped: ReadonlySet<StoredEntry>,
  agentStep: number,
  effectId: string,
): TaskEvent[] => {
  let calls = 0
  return entries.flatMap(({ entry, call }): TaskEvent[] => {
    if (call === undefined) return []
    calls++
    if (call.plan === 'delegate' && dropped.has(entry)) return []
    if (call.plan !== 'bare') return planned([call], agentStep, effectId, calls)
    const id = callEffectId(effectId, calls)
    const safe = call.safe ? { safe: true as const } : {}
    const data = {
      effect_id: id,
      call_id: entry.call_id ?? id,
      name: call.name,
      ...safe,
      bare: true as const,
    }
    return [{ type: 'EffectIntended', data }]
  })
}

type Ends = { ended: ReadonlySet<string> }
type Outcome = Extract<PlannedMove, { ran: number }>

/** Whether something runs after the turn, on the server or in the host of the code. */
const isActive = (view: DecidedTask, begun: readonly Begun[], ended: ReadonlySet<string>): boolean =>
  hasActive(view, ended) ||
  begun.some(({ entry, call }) =>
    call.plan === 'bare' ? !isPassive({ kind: entry.do }) : waitOf(call) === undefined,
  )

/**
 * What follows when the code has seen every result and nothing runs: the task waits for its client, or for timers and
 * messages.
 */
const waiting = (
  view: DecidedTask,
  { agentStep, begun, ended }: Ends & { agentStep: number; begun: readonly Begun[] },
  at: At,
): TaskEvent[] => {
  const old = [...view.calls.values()].filter(call => call.ended === false && !ended.has(call.callId))
  const untils = [
    ...old.map(({ callId }) => view.entries[(view.entryOf.get(callId) ?? 0) - 1]?.until),
    ...begun.map(({ entry }) => entry.until),
  ].filter(until => until !== undefined)
  const until = untils.length === 0 ? undefined : Math.min(...untils)
  const asks = [
    ...old.flatMap(call => waitsFor(view, call)),
    ...begun.flatMap(({ call }) => (call.plan === 'bare' ? [] : (waitOf(call) ?? []))),
  ]
  if (asks.length > 0) {
    const data = {
      from: 'working' as const,
      calls: asks.map(({ call_id }) => call_id),
      asks: asks.slice(0, mostAsks).map(asked),
      ...deadline(at.ttls['input-required'], at.now),
      ...(until === undefined ? {} : { until }),
    }
    return [{ type: 'InputRequired', data }]
  }
  return old.length + begun.length > 0 ? [waitsUntil(agentStep, until)] : []
}

/** A call on the server has begun to ask. Nothing else may run, so the task waits for its client. */
export const codeWaits = (view: DecidedTask, at: At): TaskEvent[] => {
  if (hasActive(view)) return []
  if (isPausing(view.state)) return [pausedFor('pause_requested', at)]
  return waiting(view, { agentStep: view.completedSteps, begun: [], ended: new Set() }, at)
}

/** A call that has begun in this turn, as a later turn would find it. */
const callOf = ({ entry, call, effectId }: Begun): Call => {
  const effect = { safe: true, inSession: false, child: undefined, at: 0, attempt: 1, promise: undefined }
  return {
    ...{ callId: entry.call_id ?? '', name: entry.name ?? '', kind: entry.do },
    itemId: call.plan === 'bare' ? '' : (entry.call_id ?? ''),
    effect: effectId === undefined ? undefined : { id: effectId, ...effect },
    ...{ said: undefined, saying: undefined, ended: false },
  }
}

/** The outcomes of the host's side effects that began in earlier turns. The code may have asked for the new entries because of them. */
const earlier = (view: DecidedTask, { moves }: Turn): Ends & { events: TaskEvent[] } => {
  const ended = new Set<string>()
  const events = moves.flatMap((move): TaskEvent[] => {
    const call = 'ran' in move ? openCallOf(view, move.ran) : undefined
    if (call === undefined || ended.has(call.callId)) return []
    ended.add(call.callId)
    return ranEvents(view, call, move as Outcome)
  })
  return { ended, events }
}

/**
 * The moves that end entries, also those of the same turn: outcomes of the host's side effects, and entries that are wanted
 * no more. `before`: the calls that have ended already.
 */
const ends = (
  view: DecidedTask,
  { moves, itemIds, agentStep }: Turn,
  entries: readonly NewEntry[],
  begun: readonly Begun[],
  before: ReadonlySet<string>,
) => {
  const ended = new Set(before)
  const endOf = (n: number): { call: Call | undefined; step: number } => {
    const beginning = begun.find(one => one.entry === entries[n - view.entries.length - 1]?.entry)
    if (beginning === undefined) return { call: openCallOf(view, n), step: view.completedSteps }
    return { call: callOf(beginning), step: agentStep }
  }
  const events = moves.flatMap((move, n): TaskEvent[] => {
    if ('entry' in move) return []
    const { call, step } = endOf('ran' in move ? move.ran : move.drop)
    if (call === undefined || ended.has(call.callId)) return []
    ended.add(call.callId)
    const then = { ...view, completedSteps: step }
    return 'ran' in move ? ranEvents(then, call, move) : stopped(then, call, 'dropped', itemIds[n])
  })
  return { ended, events }
}

/** The outcome of a side effect of the code. */
const ranEvents = (
  { completedSteps: agent_step }: DecidedTask,
  { callId, effect }: Open,
  { outcome: { status, content, error }, at }: Outcome,
): TaskEvent[] => {
  if (effect === undefined) return []
  const data: TaskEventData<'EffectCompleted'> = {
    ...{ agent_step, effect_id: effect.id, call_id: callId, status, content, bare: true },
    ...(error === undefined ? {} : { error }),
    ...(at === undefined ? {} : { original_at: at }),
  }
  return [{ type: 'EffectCompleted', data }]
}

/** The calls of a turn that have begun. */
const begunCalls = (
  entries: readonly NewEntry[],
  dropped: ReadonlySet<StoredEntry>,
  effectId: string,
): Begun[] => {
  let calls = 0
  return entries.flatMap(({ entry, call }) => {
    if (call === undefined) return []
    calls++
    if (call.plan === 'refuse') return []
    const waits = call.plan !== 'bare' && waitOf(call) !== undefined
    const isUnmade = call.plan === 'delegate' && dropped.has(entry)
    return [{ entry, call, effectId: waits || isUnmade ? undefined : callEffectId(effectId, calls) }]
  })
}

// A turn that ends the task begins no calls: the caller has planned to refuse them.
export const recordTurn: Decide<'RecordTurn'> = (view, turn, at): TaskEvent[] | Decision => {
  const { agentStep, effectId, seen, moves, machine, end, itemIds } = turn
  // Code may go on while its task waits for the client: it has awaited something else, or its turn came in two parts.
  const wakes = view.status === 'input-required' && (moves.length > 0 || end !== undefined)
  if (view.status !== 'working' && !wakes) return []
  if (isCanceling(view.state) || effectId !== effectIdOf(view)) return []
  const entries = begunBy(moves, effectId)
  const isStep = entries.length > 0 || machine !== undefined || end?.end === 'answer'
  const step = isStep ? agentStep : view.completedSteps
  const said = [...entries.flatMap(({ events }) => events), ...(end?.end === 'answer' ? end.events : [])]
  const completed: TaskEvent = {
    type: 'AgentStepCompleted',
    data: {
      agent_step: agentStep,
      effect_id: effectId,
      ...(end?.end === 'answer' ? { final: true } : {}),
      ...(entries.length === 0 ? {} : { journal: entries.map(({ entry }) => entry) }),
      ...(machine === undefined ? {} : { machine }),
    },
  }
  const dropped = droppedAtOnce(view, turn, entries)
  const begun = begunCalls(entries, dropped, effectId)
  const first = earlier(view, turn)
  const { ended, events: outcomes } = ends(view, turn, entries, begun, first.ended)
  const waits = [
    ...openMessageWaits(view).filter(({ callId }) => !ended.has(callId)),
    ...begun.flatMap(({ entry: { do: what, call_id: callId = '' }, effectId: id }) =>
      what === 'message' && id !== undefined ? [{ callId, effectId: id }] : [],
    ),
  ]
  const unread = view.messages.flatMap(({ id, at: seenAt }) => (seenAt === undefined ? [id] : []))
  const got = waits.slice(0, unread.length)
  const messages = got.flatMap((wait, n) => gotMessage(wait, unread[n] ?? '', step))
  for (const { callId } of got) ended.add(callId)
  const stored = [
    ...(wakes ? [goesOn(at)] : []),
    ...first.events,
    ...(isStep ? [...said, completed] : []),
    ...intended(entries, dropped, agentStep, effectId),
    ...outcomes,
    ...messages,
  ]
  if (end !== undefined) return [...stored, ...finished(view, end, ended, itemIds.slice(moves.length))]
  const stays = begun.filter(({ entry }) => !ended.has(entry.call_id ?? ''))
  const made = stays.flatMap(({ call }) =>
    call.plan === 'delegate' ? [makeChild(call.child, view, at)] : [],
  )
  if (isActive(view, stays, ended)) return { events: stored, made }
  if (isPausing(view.state)) return { events: [...stored, pausedFor('pause_requested', at)], made }
  const refused = entries.filter(({ call }) => call?.plan === 'refuse')
  const results = view.results.length + ended.size + refused.length
  const hasNews = seen < results
  const rest = hasNews ? [] : waiting(view, { agentStep: step, begun: stays, ended }, at)
  return { events: [...stored, ...rest], made }
}

/** The code has answered or failed: what is still open is stopped, and the task ends. */
const finished = (
  view: DecidedTask,
  end: NonNullable<Turn['end']>,
  done: ReadonlySet<string>,
  ids: readonly string[],
): TaskEvent[] => {
  const open = [...view.calls.values()].filter(call => call.ended === false && !done.has(call.callId))
  const events = open.flatMap((call, n) => stopped(view, call, 'dropped', ids[n]))
  if (end.end === 'answer') {
    return [...events, agentDone(view), { type: 'TaskCompleted', data: { from: 'working' } }]
  }
  const { message, code } = end.error
  const agent_id = view.created?.agent_id ?? ''
  return [
    ...events,
    { type: 'AgentError', data: { agent_id, error: message, code } },
    { type: 'TaskFailed', data: { from: 'working', error: end.error } },
  ]
}

/** A sleep is over, or an entry has timed out. A timer that has come too late changes nothing. */
export const endWait: Decide<'EndWait'> = (view, { n, itemId }, at) => {
  const call = openCallOf(view, n)
  const { until } = view.entries[n - 1] ?? {}
  const goes = view.status === 'working' || view.status === 'input-required'
  if (call === undefined || !goes || isCanceling(view.state) || until === undefined || until > at.now)
    return []
  const first = view.status === 'input-required' ? [goesOn(at)] : []
  if (call.kind !== 'sleep') return [...first, ...stopped(view, call, 'timeout', itemId)]
  const data: TaskEventData<'EffectCompleted'> = {
    agent_step: view.completedSteps,
    effect_id: call.effect?.id ?? '',
    call_id: call.callId,
    ...{ status: 'completed', content: 'null', bare: true },
  }
  return [...first, { type: 'EffectCompleted', data }]
}

/** The text of a call of a model, while it comes. */
export const sayModel: Decide<'SayModel'> = (view, { effectId, events, begins }) => {
  const call = openCalls(view).find(({ effect }) => effect.id === effectId)
  if (call === undefined || view.status !== 'working' || isCanceling(view.state)) return []
  return [...(begins ? cut(view, [call]) : []), ...events]
}
