// The fold of a task: what its events say so far. The only one: the actor decides by it, the projection writes
// it down, frames and replay are read from it. A view is changed in place by its one owner; the items in it are
// replaced, never changed, so whoever took a task or a frame keeps what they saw.
import type { Header, Recorded } from '../contract/stored.ts'
import type { Lifecycle } from '../contract/task-chart.ts'
import type { Form, ModelResponse, TaskEventData, TaskEventType } from '../contract/task-events.ts'
import { firstState, stateAfter, statusIn, type TaskState } from '../contract/task-state.ts'
import {
  type ErrorObject,
  isTerminal,
  type MessageContent,
  type OutputItem,
  type ToolCallItem,
  type Usage,
} from '../contract/wire.ts'
import { emptyItem, resultItem, withDelta, withTexts } from './items.ts'
import { withRest } from './said.ts'

/** A step that has begun in the log and has neither completed nor been abandoned. */
export type OpenStep = {
  agentStep: number
  effectId: string
  /** Its items, with the number of their parts: until the step completes, none of them is sure to stay. */
  items: Map<string, number>
}

/** A call of the newest completed step. */
export type Call = {
  callId: string
  name: string
  itemId: string
  /** How it runs here; a call without is the client's, or nobody's. */
  effect:
    | {
        id: string
        safe: boolean
        /** A step of an environment session, which knows what became of it. */
        inSession: boolean
        child: string | undefined
        at: number
        attempt: number
      }
    | undefined
  /** What it has said while it ran, and the item that this is. */
  said: { itemId: string; text: string } | undefined
  /** It has its result; `refused`: it never ran; `last`: there is nothing to do after it. */
  ended: false | 'answered' | 'refused' | 'last'
}

/** Who wrote what the service itself says to an agent. */
export const system = 'system'

/** Something that somebody wrote to the agent after the task was created. */
export type Message = {
  id: string
  by: string
  content: MessageContent
  /** It came with a key of its own. */
  hasKey: boolean
  /** Before which item of the output the agent saw it; undefined: not yet. */
  at: number | undefined
}

/** What the model sees instead of `items`. */
export type Summary = { id: string; text: string; items: ReadonlySet<string> }

export type Reward = { value: number; name?: string; data?: unknown }

export type TaskView = {
  revision: number
  position: number
  /** Where it is in its chart. */
  state: TaskState
  /** The outermost state of `state`. */
  status: Lifecycle
  created: TaskEventData<'TaskCreated'> | undefined
  createdAt: number
  /** When and at which position it ended; it may be deleted later. */
  ended: { at: number; position: number } | undefined
  /** Time of the newest event, milliseconds. */
  changedAt: number
  /** The number of the next frame. */
  seq: number
  output: OutputItem[]
  indexOf: Map<string, number>
  usage: Usage | undefined
  error: ErrorObject | undefined
  pendingCalls: ToolCallItem[]
  reason: string | undefined
  expiresAt: number | undefined
  ttlSeconds: number | undefined
  context: TaskEventData<'TaskStarted'>['context']
  /** When its agent began, milliseconds. */
  startedAt: number
  agentSpawned: boolean
  agentEnded: boolean
  completedSteps: number
  /** The newest completed step was the last one: the task is done when its calls are. */
  finalStep: boolean
  openStep: OpenStep | undefined
  /** Items and calls of the step at hand so far, then those of the newest completed step. */
  saidItems: string[]
  saidCalls: Call[]
  stepItems: string[]
  /** Items that the model cut off because it reached the limit of its length. */
  cutOff: Set<string>
  calls: Map<string, Call>
  messages: Message[]
  /** Ids of accepted inputs that no step has seen. */
  inbox: string[]
  /** The stream with the tools that its model was offered last. */
  toolList: string | undefined
  /** Summaries, each in the place of items before it. */
  summaries: Summary[]
  /** Tokens of the newest call of its model, and their ids where the endpoint gives them. */
  contextTokens: number
  tokenIds: number[]
  /** Subagents' tasks that have given their result, as far as they were read for it. */
  children: { stream: string; revision: number }[]
  subagentUsage: Usage | undefined
  continuedBy: string | undefined
  rewards: Reward[]
  abandonedSteps: number
  /** How many of those broke off by themselves. */
  brokenOff: number
  cancelReason: string | undefined
  stoppedEffects: Set<string>
  /** Items of calls that had begun to speak and gave no result. */
  cutItems: Set<string>
  deleted: boolean
}

export const emptyTask = (): TaskView => ({
  revision: -1,
  position: 0,
  state: firstState,
  status: 'absent',
  created: undefined,
  createdAt: 0,
  ended: undefined,
  changedAt: 0,
  seq: 0,
  output: [],
  indexOf: new Map(),
  usage: undefined,
  error: undefined,
  pendingCalls: [],
  reason: undefined,
  expiresAt: undefined,
  ttlSeconds: undefined,
  context: [],
  startedAt: 0,
  agentSpawned: false,
  agentEnded: false,
  completedSteps: 0,
  finalStep: false,
  openStep: undefined,
  saidItems: [],
  saidCalls: [],
  stepItems: [],
  cutOff: new Set(),
  calls: new Map(),
  messages: [],
  inbox: [],
  toolList: undefined,
  summaries: [],
  contextTokens: 0,
  tokenIds: [],
  children: [],
  subagentUsage: undefined,
  continuedBy: undefined,
  rewards: [],
  abandonedSteps: 0,
  brokenOff: 0,
  cancelReason: undefined,
  stoppedEffects: new Set(),
  cutItems: new Set(),
  deleted: false,
})

type Fold<T extends TaskEventType> = (view: TaskView, data: TaskEventData<T>, header: Header) => void

const addItem = (view: TaskView, id: string, item: OutputItem) => {
  view.indexOf.set(id, view.output.length)
  view.output.push(item)
}
export const itemOf = (view: TaskView, id: string): OutputItem => {
  const item = view.output[view.indexOf.get(id) ?? -1]
  if (item === undefined) throw new Error(`there is no item ${id}`)
  return item
}
const replaceItem = (view: TaskView, id: string, item: OutputItem) => {
  view.output[view.indexOf.get(id) ?? -1] = item
}

export const addUsage = (total: Usage | undefined, usage: Usage): Usage => {
  const sum: Usage = { ...total }
  for (const [key, value] of Object.entries(usage)) {
    const before = sum[key]
    sum[key] = typeof value === 'number' && typeof before === 'number' ? before + value : value
  }
  return sum
}

const openStepOf = (view: TaskView, agentStep: number): OpenStep => {
  if (view.openStep === undefined) throw new Error(`agent step ${agentStep} has not begun`)
  return view.openStep
}

/** The arguments of a call are its text and no part of it. */
export const opensPart = ({ first, part }: TaskEventData<'ItemDelta'>): boolean =>
  first === true && part !== 'arguments'

const madeCall = (itemId: string, { call_id, name }: { call_id: string; name: string }): Call => ({
  callId: call_id,
  name,
  itemId,
  effect: undefined,
  said: undefined,
  ended: false,
})
const callOf = (view: TaskView, callId: string): Call => {
  const call = view.calls.get(callId)
  if (call === undefined) throw new Error(`there is no call ${callId}`)
  return call
}

/** A move replaces what the state before it left behind: why it waited, and until when. */
const enter = (view: TaskView, expiresAt?: number, reason?: string, pendingCalls: ToolCallItem[] = []) => {
  view.expiresAt = expiresAt
  view.reason = reason
  view.pendingCalls = pendingCalls
}

/** The ids of a call's prompt, of which a part was said in the call before. */
export const promptIds = (view: TaskView, { prompt_token_ids: given }: ModelResponse): number[] | undefined =>
  given && [...view.tokenIds.slice(0, given.shared), ...given.rest]

const foldCall = (view: TaskView, data: TaskEventData<'AgentStepCompleted'>) => {
  const { response, compressed, usage } = data
  if (response !== undefined) {
    view.tokenIds = [...(promptIds(view, response) ?? []), ...(response.completion_token_ids ?? [])]
    view.contextTokens = typeof usage?.total_tokens === 'number' ? usage.total_tokens : 0
  }
  if (compressed === undefined) return
  const { item_id: id, summary: text, items } = compressed
  view.summaries = [...view.summaries, { id, text, items: new Set(items) }]
  view.contextTokens = 0
}

const folds: { [T in TaskEventType]: Fold<T> } = {
  TaskCreated: (view, data, header) => {
    view.created = data
    view.createdAt = millisOf(header.time)
    enter(view, data.expires_at)
  },
  TaskQueued: (view, data) => enter(view, data.expires_at),
  AgentSpawned: view => {
    view.agentSpawned = true
  },
  TaskStarted: (view, data, header) => {
    enter(view)
    view.context = data.context
    view.startedAt = millisOf(header.time)
    view.ttlSeconds = data.ttl_seconds
  },
  AgentStepStarted: (view, data) => {
    view.openStep = { agentStep: data.agent_step, effectId: data.effect_id, items: new Map() }
  },
  ItemDelta: (view, data) => {
    const id = data.item_id
    if (data.item !== undefined) {
      addItem(view, id, emptyItem(id, data.item, data.call))
      view.saidItems.push(id)
      if (data.call !== undefined) view.saidCalls.push(madeCall(id, data.call))
    }
    replaceItem(
      view,
      id,
      withDelta(itemOf(view, id), data.part, data.content_index, data.delta, data.logprobs),
    )
    const step = openStepOf(view, data.agent_step)
    step.items.set(id, (step.items.get(id) ?? 0) + (opensPart(data) ? 1 : 0))
  },
  ItemCompleted: (view, { item_id, cut_off }) => {
    const status = cut_off ? 'incomplete' : 'completed'
    replaceItem(view, item_id, { ...itemOf(view, item_id), status })
    if (!cut_off) return
    view.cutOff.add(item_id)
    view.saidCalls = view.saidCalls.filter(({ itemId }) => itemId !== item_id) // it is never made
  },
  ItemSaid: (view, data) => {
    const { item_id, item, part, texts, call } = data
    addItem(view, item_id, {
      ...withTexts(emptyItem(item_id, item, call), part, texts),
      status: 'completed',
    } as OutputItem)
    view.saidItems.push(item_id)
    view.openStep?.items.set(item_id, call === undefined ? texts.length : 0)
    if (call !== undefined) view.saidCalls.push(madeCall(item_id, call))
  },
  ToolsOffered: (view, data) => {
    view.toolList = data.stream
  },
  CompressionStarted: () => {},
  AgentStepCompleted: (view, data) => {
    view.completedSteps = data.agent_step
    view.finalStep = data.final === true
    view.openStep = undefined
    view.abandonedSteps = 0
    view.brokenOff = 0
    view.stepItems = view.saidItems
    view.saidItems = []
    if (view.calls.size > 0 || view.saidCalls.length > 0) {
      view.calls = new Map(view.saidCalls.map(call => [call.callId, call]))
      view.saidCalls = []
    }
    if (data.usage !== undefined) view.usage = addUsage(view.usage, data.usage)
    foldCall(view, data)
  },
  AgentStepAbandoned: (view, data) => {
    for (const { item_id } of data.items) {
      replaceItem(view, item_id, { ...itemOf(view, item_id), status: 'incomplete' })
      view.cutOff.delete(item_id)
    }
    view.openStep = undefined
    view.saidItems = []
    view.saidCalls = []
    view.abandonedSteps++
    if (data.broke_off) view.brokenOff++
  },
  AgentCompleted: view => {
    view.agentEnded = true
  },
  AgentError: view => {
    view.agentEnded = true
  },
  EffectIntended: (view, data, header) => {
    const call = callOf(view, data.call_id)
    const attempt = data.attempt ?? 1
    const at = millisOf(header.time)
    const [safe, inSession] = [data.safe === true, data.in_session === true]
    call.effect = { id: data.effect_id, safe, inSession, child: data.child, at, attempt }
  },
  EffectSaid: (view, { item_id, call_id, first, delta }) => {
    const call = callOf(view, call_id)
    const text = (call.said?.text ?? '') + delta
    call.said = { itemId: item_id, text }
    const item = { ...resultItem(item_id, call_id, 'incomplete', text), status: 'in_progress' as const }
    if (first === true) addItem(view, item_id, item)
    else replaceItem(view, item_id, item)
  },
  EffectCut: (view, { item_id, call_id }) => {
    callOf(view, call_id).said = undefined
    replaceItem(view, item_id, { ...itemOf(view, item_id), status: 'incomplete' })
    view.cutItems.add(item_id)
  },
  EffectCompleted: (view, data) => {
    const { item_id, call_id, status, content, blocks } = data
    const call = callOf(view, call_id)
    const whole = data.said === true ? withRest(call.said?.text ?? '', content) : content
    const item = resultItem(item_id, call_id, status, whole, blocks)
    if (data.said === true) replaceItem(view, item_id, item)
    else addItem(view, item_id, item)
    call.said = undefined
    call.ended = data.effect_id === undefined ? 'refused' : data.ends === true ? 'last' : 'answered'
    if (data.child !== undefined) view.children.push(data.child)
    if (data.usage !== undefined) view.subagentUsage = addUsage(view.subagentUsage, data.usage)
  },
  InputRequired: (view, data) => {
    const calls = data.calls.map(id => itemOf(view, callOf(view, id).itemId) as ToolCallItem)
    enter(view, data.expires_at, undefined, calls)
  },
  InputAccepted: (view, { by, item, idempotency_key: key }) => {
    const id = item.id ?? ''
    view.inbox.push(id)
    if (item.type === 'message') {
      const hasKey = key !== undefined
      view.messages.push({ id, by, content: item.message_content, hasKey, at: undefined })
      return
    }
    addItem(view, id, item)
    callOf(view, item.call_id).ended = 'answered'
    view.pendingCalls = view.pendingCalls.filter(call => call.call_id !== item.call_id)
  },
  InputAnswered: (view, data) => {
    enter(view)
    view.ttlSeconds = data.ttl_seconds
  },
  InputConsumed: (view, data) => {
    for (const message of view.messages) {
      if (data.items.includes(message.id)) message.at = view.output.length
    }
    view.inbox = view.inbox.filter(id => !data.items.includes(id))
  },
  PauseRequested: () => {},
  TaskPaused: (view, data) => enter(view, data.expires_at, data.reason),
  TaskResumed: (view, data) => {
    enter(view)
    view.ttlSeconds = data.ttl_seconds
  },
  CancelRequested: (view, data) => {
    view.cancelReason = data.reason
  },
  EffectStopped: (view, data) => {
    view.stoppedEffects.add(data.effect_id)
  },
  TaskCompleted: (view, data) => {
    enter(view)
    view.continuedBy = data.continued_by
  },
  TaskFailed: (view, data) => {
    enter(view)
    view.error = data.error
  },
  TaskCanceled: (view, data) => enter(view, undefined, data.reason),
  TaskExpired: view => enter(view),
  TaskDeleted: view => {
    view.deleted = true
  },
  RewardGiven: (view, { value, name, data }) => {
    const named = name === undefined ? {} : { name }
    view.rewards.push({ value, ...named, ...(data === undefined ? {} : { data }) })
  },
}

/** Milliseconds of an ISO time. Events that were stored together have one time: the last one is remembered. */
let lastTime = ''
let lastMillis = 0
const millisOf = (time: string): number => {
  if (time !== lastTime) {
    lastTime = time
    lastMillis = Date.parse(time)
  }
  return lastMillis
}

/** Moves the view by one event of its stream. Throws when the event does not fit what came before. */
export const evolve = (view: TaskView, { position, header, data }: Recorded): TaskView => {
  const type = header.type as TaskEventType
  const fold = folds[type] as Fold<TaskEventType> | undefined
  if (fold === undefined) throw new Error(`there is no task event ${type}`)
  view.state = stateAfter(view.state, type, data)
  view.status = statusIn(view.state)
  fold(view, data as TaskEventData<TaskEventType>, header)
  view.revision = header.revision
  view.position = position
  view.seq = (header.seq ?? 0) + (header.frames ?? 0)
  view.changedAt = millisOf(header.time)
  if (view.ended === undefined && isTerminal(view.status)) view.ended = { at: view.changedAt, position }
  return view
}

/** The items of the newest step that its model cut off. */
export const cutOffNow = ({ stepItems, saidItems, cutOff }: TaskView): string[] =>
  [...stepItems, ...saidItems].filter(id => cutOff.has(id))

/** How the context and the requests of a task are put together. */
export const formOf = ({ created }: TaskView): Form => created?.form ?? 1

/** A stable name of the run of a step that is due now: another attempt is another effect. */
export const effectIdOf = (view: TaskView): string => {
  const attempt = view.abandonedSteps === 0 ? '' : `.${view.abandonedSteps}`
  return `${view.created?.task_id}/${view.completedSteps + 1}${attempt}`
}

/** A stable name of the n-th call (from 1) of a step that has completed. */
export const callEffectId = (stepEffectId: string, n: number): string => `${stepEffectId}/${n}`

/** A call of the newest step that runs here, or ran when the server went down, and has no result. */
export type OpenCall = Call & { effect: NonNullable<Call['effect']> }

export const openCalls = (view: TaskView): OpenCall[] => {
  const open: OpenCall[] = []
  for (const call of view.calls.values()) {
    if (call.effect !== undefined && call.ended === false) open.push(call as OpenCall)
  }
  return open
}
