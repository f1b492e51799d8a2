// Copies the events of a task as the past of a fork: with the ids of the fork, and with new deadlines. Every copy gives
// as many frames as its original.
import type { StartContext } from '../../contract/commands/commands.ts'
import type { Asks, TaskEventData, TaskEventType } from '../../contract/events/task-events.ts'
import type { OutputItem } from '../../contract/wire.ts'
import type { NewIds } from './new-ids.ts'

/** What the copies of one task have in common. `expires`: the deadline of a state that begins now. */
export type Copying = {
  ids: NewIds
  /** The TaskCreated event of the fork. */
  created: TaskEventData<'TaskCreated'>
  expires: (state: 'queued' | 'paused' | 'input-required') => { expires_at?: number }
  /** Whether the agent is code, which must see the times that it saw before. */
  keepsTimes: boolean
}
/** `time`: when the event was stored, in Unix milliseconds; undefined: it is new. */
type Copy<T extends TaskEventType> = (
  data: TaskEventData<T>,
  copying: Copying,
  time: number | undefined,
) => TaskEventData<T>

const same = <T>(data: T): T => data
type Reference = TaskEventData<'TaskStarted'>['context'][number]
/** A reference to the task's own stream gets the new ids. References to other tasks stay as they are. */
const reference =
  ({ ids }: Copying) =>
  (one: Reference) => {
    const stream = ids.stream(one.stream)
    return stream === one.stream ? one : { ...one, stream, items: one.items.map(ids.of) }
  }
const call = <T extends { call_id: string }>(ids: NewIds, given: T | undefined): { call?: T } =>
  given === undefined ? {} : { call: { ...given, call_id: ids.of(given.call_id) } }
/** The time of the original. The original may be a copy itself. */
const timed = <T extends { original_at?: number }>(
  { original_at }: T,
  { keepsTimes }: Copying,
  time: number | undefined,
): { original_at?: number } => {
  const original = original_at ?? time
  return !keepsTimes || original === undefined ? {} : { original_at: original }
}
const ofStep = <T extends { effect_id: string }>(data: T, { ids }: Copying): T => ({
  ...data,
  effect_id: ids.effect(data.effect_id),
})
const ofItem = <T extends { item_id?: string; effect_id?: string }>(data: T, { ids }: Copying): T => ({
  ...data,
  ...(data.item_id === undefined ? {} : { item_id: ids.of(data.item_id) }),
  ...(data.effect_id === undefined ? {} : { effect_id: ids.effect(data.effect_id) }),
})
/** The id of a bare call is that of its effect. */
const callId = (id: string, { ids }: Copying): string => {
  const effect = ids.effect(id)
  return effect === id ? ids.of(id) : effect
}
const ofAgent = <T extends { agent_id: string }>(data: T, { ids }: Copying): T => ({
  ...data,
  agent_id: ids.known(data.agent_id),
})
const ofCall = <T extends { effect_id?: string; item_id?: string; call_id: string }>(
  data: T,
  copying: Copying,
): T => ({ ...ofItem(data, copying), call_id: callId(data.call_id, copying) })
const ofChat = <T extends { group_chat_id: string; agent_id: string }>(data: T, copying: Copying): T => ({
  ...ofAgent(data, copying),
  group_chat_id: copying.ids.known(data.group_chat_id),
})
const withIds = <T extends OutputItem>(item: T, ids: NewIds): T => ({
  ...item,
  ...(item.id === undefined ? {} : { id: ids.of(item.id) }),
  ...('call_id' in item ? { call_id: ids.of(item.call_id) } : {}),
})

const ofAsks = ({ questions, state, answers, withdrawn }: Asks, isOwn: boolean, { ids }: Copying): Asks => ({
  ...(questions && { questions: questions.map(each => ({ ...each, call_id: ids.of(each.call_id) })) }),
  ...(isOwn && state !== undefined ? { state } : {}),
  ...(answers && { answers: answers.map(each => ({ ...each, call_id: ids.of(each.call_id) })) }),
  ...(withdrawn && { withdrawn: withdrawn.map(ids.of) }),
})

const copies: { [T in TaskEventType]: Copy<T> } = {
  TaskCreated: (_, { created }) => created,
  TaskQueued: ({ from, waiting_for }, { expires }) => ({
    from,
    ...expires('queued'),
    ...(waiting_for === undefined ? {} : { waiting_for }),
  }),
  WorkerAwaited: same,
  // The fork has another session, in which no task begins with this context.
  TaskStarted: ({ seen_until: _, ...data }, copying, time) => ({
    ...data,
    ...copyOfContext(data, copying),
    ...timed(data, copying, time),
  }),
  PauseRequested: same,
  TaskPaused: ({ from, reason }, { expires }) => ({ from, reason, ...expires('paused') }),
  TaskResumed: same,
  CancelRequested: same,
  TaskCompleted: same,
  TaskFailed: same,
  TaskCanceled: same,
  TaskExpired: same,
  TaskDeleted: same,
  RewardGiven: same,
  AgentSpawned: ({ agent_id }, { ids, created }) => ({
    agent_id: ids.known(agent_id),
    workdir: created.workdir,
  }),
  AgentStepStarted: ofStep,
  ToolsOffered: same,
  CompressionStarted: (data, { ids }) => ({ ...data, compression_id: ids.of(data.compression_id) }),
  AgentStepCompleted({ journal, ...data }, copying) {
    const { compressed } = data
    const { ids } = copying
    const entries = journal?.map(({ call_id: id, ...entry }) =>
      id === undefined ? entry : { ...entry, call_id: callId(id, copying) },
    )
    if (compressed === undefined) {
      return { ...ofStep(data, copying), ...(entries === undefined ? {} : { journal: entries }) }
    }
    const summary = {
      ...ofItem(compressed, copying),
      compression_id: ids.of(compressed.compression_id),
      items: compressed.items.map(ids.known),
    }
    return { ...ofStep(data, copying), compressed: summary }
  },
  AgentStepAbandoned: (data, copying) => ({
    ...ofStep(data, copying),
    items: data.items.map(item => ofItem(item, copying)),
  }),
  AgentCompleted: ofAgent,
  AgentError: ofAgent,
  ItemDelta: (data, copying) => ({ ...ofItem(data, copying), ...call(copying.ids, data.call) }),
  ItemCompleted: ofItem,
  ItemSaid: (data, copying) => ({ ...ofItem(data, copying), ...call(copying.ids, data.call) }),
  AgentWaits: same,
  EffectIntended: (data, copying) => ({
    ...ofStep(data, copying),
    call_id: callId(data.call_id, copying),
    ...(data.child === undefined ? {} : { child: copying.ids.known(data.child) }),
  }),
  // The copy cannot go on with what belongs to the other task. It can answer otherwise what a call asks that waits nowhere else.
  EffectPromised: (data, copying) => {
    const { promise, asks, ...rest } = ofStep(data, copying)
    return {
      ...rest,
      call_id: callId(data.call_id, copying),
      ...(asks === undefined ? {} : { asks: ofAsks(asks, promise === undefined, copying) }),
    }
  },
  EffectSaid: ofCall,
  EffectCut: (data, copying) => ({
    ...ofCall(data, copying),
    ...(data.items === undefined ? {} : { items: data.items.map(item => ofItem(item, copying)) }),
  }),
  EffectCompleted: (data, copying, time) => ({
    ...ofCall(data, copying),
    ...timed(data, copying, time),
    ...(data.message === undefined ? {} : { message: copying.ids.of(data.message) }),
    ...(data.env_step === undefined
      ? {}
      : { env_step: { ...data.env_step, stream: copying.ids.stream(data.env_step.stream) } }),
  }),
  ApprovalRequired: (data, copying) => ({ ...ofStep(data, copying), call_id: copying.ids.of(data.call_id) }),
  ApprovalDecided: ofCall,
  EffectStopped: ofStep,
  InputRequired: ({ from, calls, asks, until, turn }, { ids, expires }) => ({
    from,
    ...(until === undefined ? {} : { until }),
    calls: calls.map(ids.of),
    ...(asks === undefined ? {} : { asks: asks.map(ask => ({ ...ask, call_id: ids.of(ask.call_id) })) }),
    ...expires('input-required'),
    ...(turn === undefined
      ? {}
      : {
          turn: { task_id: ids.known(turn.task_id), items: turn.items.map(item => withIds(item, ids)) },
        }),
  }),
  // A copy has no key, so a retry of the request finds the task that got the request.
  InputAccepted: ({ digest: _, idempotency_key: __, ...data }, copying, time) => ({
    ...data,
    item: withIds(data.item, copying.ids),
    ...timed(data, copying, time),
  }),
  InputAnswered: same,
  InputConsumed: (data, { ids }) => ({ ...data, items: data.items.map(ids.of) }),
  GroupChatAgentThinking: (data, copying) => ({
    ...ofChat(data, copying),
    call_id: copying.ids.of(data.call_id),
    task_id: copying.ids.known(data.task_id),
  }),
  GroupChatAgentResponse: (data, copying) => ({
    ...ofChat(data, copying),
    call_id: copying.ids.of(data.call_id),
    task_id: copying.ids.known(data.task_id),
  }),
  GroupChatMessage: (data, copying) => ({
    ...ofChat(data, copying),
    message_id: copying.ids.of(data.message_id),
  }),
}

type Copied<T extends TaskEventType> = { [K in T]: { type: K; data: TaskEventData<K> } }[T]

/** The copy of one event. `time`: when it was stored, in Unix milliseconds. Events must be copied in the order of their stream. */
export const copyOfEvent = <T extends TaskEventType>(
  { type, data }: Copied<T>,
  copying: Copying,
  time?: number,
): Copied<T> => ({ type, data: copies[type](data, copying, time) })

/** What a copy sees at its start, with the new ids of the copied items. */
export const copyOfContext = ({ context, context_of }: StartContext, copying: Copying): StartContext => ({
  context: context.map(reference(copying)),
  ...(context_of === undefined ? {} : { context_of }),
})
