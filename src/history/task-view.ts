// The fold of a task: what its events say so far. The only one: the actor decides by it, the projection writes
// it down, frames and replay are read from it. A view is changed in place by its one owner; the items in it are
// replaced, never changed, so whoever took a task or a frame keeps what they saw.
import type { Header, Recorded } from '../contract/stored.ts'
import {
  type ItemKind,
  type Lifecycle,
  type PartKind,
  statusAfter,
  type TaskEventData,
  type TaskEventType,
} from '../contract/task-events.ts'
import {
  type ErrorObject,
  isTerminal,
  type OutputItem,
  type Task,
  type TextContentItem,
  type ToolCallItem,
  type Usage,
} from '../contract/wire.ts'

/** A step that has begun in the log and has neither completed nor been abandoned. */
export type OpenStep = {
  agentStep: number
  effectId: string
  /** Its items, with the number of their parts: until the step completes, none of them is sure to stay. */
  items: Map<string, number>
}

export type TaskView = {
  revision: number
  position: number
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
  agentSpawned: boolean
  agentEnded: boolean
  completedSteps: number
  openStep: OpenStep | undefined
  abandonedSteps: number
  pauseRequested: boolean
  cancelRequested: boolean
  cancelReason: string | undefined
  stoppedEffects: Set<string>
  deleted: boolean
}

export const emptyTask = (): TaskView => ({
  revision: -1,
  position: 0,
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
  agentSpawned: false,
  agentEnded: false,
  completedSteps: 0,
  openStep: undefined,
  abandonedSteps: 0,
  pauseRequested: false,
  cancelRequested: false,
  cancelReason: undefined,
  stoppedEffects: new Set(),
  deleted: false,
})

type Fold<T extends TaskEventType> = (view: TaskView, data: TaskEventData<T>, header: Header) => void

const emptyItem = (id: string, item: ItemKind): OutputItem =>
  item === 'message'
    ? { type: 'message', id, status: 'in_progress', role: 'assistant', message_content: [] }
    : { type: 'reasoning', id, status: 'in_progress', summary: [] }

/** The text parts of one kind: what `content_index` counts in. */
export const partsOf = (item: OutputItem, part: PartKind): TextContentItem[] => {
  if (item.type === 'reasoning') return part === 'summary_text' ? item.summary : (item.content ?? [])
  if (item.type === 'message') return item.message_content as TextContentItem[]
  return []
}

const withParts = (item: OutputItem, part: PartKind, parts: TextContentItem[]): OutputItem => {
  if (item.type === 'message') return { ...item, message_content: parts }
  if (item.type !== 'reasoning') return item
  return part === 'summary_text' ? { ...item, summary: parts } : { ...item, content: parts }
}

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

const addUsage = (total: Usage | undefined, usage: Usage): Usage => {
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

/** A move replaces what the state before it left behind: why it waited, and until when. */
const enter = (view: TaskView, expiresAt?: number, reason?: string, pendingCalls: ToolCallItem[] = []) => {
  view.expiresAt = expiresAt
  view.reason = reason
  view.pendingCalls = pendingCalls
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
  TaskStarted: (view, data) => {
    enter(view)
    view.context = data.context
    view.ttlSeconds = data.ttl_seconds
  },
  AgentStepStarted: (view, data) => {
    view.openStep = { agentStep: data.agent_step, effectId: data.effect_id, items: new Map() }
  },
  ItemDelta: (view, data) => {
    const id = data.item_id
    if (data.item !== undefined) addItem(view, id, emptyItem(id, data.item))
    const item = itemOf(view, id)
    const parts = [...partsOf(item, data.part)]
    const before = parts[data.content_index]?.text ?? ''
    parts[data.content_index] = { type: data.part, text: before + data.delta }
    replaceItem(view, id, withParts(item, data.part, parts))
    const step = openStepOf(view, data.agent_step)
    step.items.set(id, (step.items.get(id) ?? 0) + (data.first ? 1 : 0))
  },
  ItemCompleted: (view, data) => {
    replaceItem(view, data.item_id, { ...itemOf(view, data.item_id), status: 'completed' })
  },
  ItemSaid: (view, data) => {
    const parts = data.texts.map(text => ({ type: data.part, text }))
    const item = withParts(emptyItem(data.item_id, data.item), data.part, parts)
    addItem(view, data.item_id, { ...item, status: 'completed' })
    view.openStep?.items.set(data.item_id, data.texts.length)
  },
  AgentStepCompleted: (view, data) => {
    view.completedSteps = data.agent_step
    view.openStep = undefined
    view.abandonedSteps = 0
    if (data.usage !== undefined) view.usage = addUsage(view.usage, data.usage)
  },
  AgentStepAbandoned: (view, data) => {
    for (const { item_id } of data.items) {
      replaceItem(view, item_id, { ...itemOf(view, item_id), status: 'incomplete' })
    }
    view.openStep = undefined
    view.abandonedSteps++
  },
  AgentCompleted: view => {
    view.agentEnded = true
  },
  AgentError: view => {
    view.agentEnded = true
  },
  InputRequired: (view, data) => enter(view, data.expires_at, undefined, data.calls),
  InputAnswered: (view, data) => {
    enter(view)
    view.ttlSeconds = data.ttl_seconds
  },
  PauseRequested: view => {
    view.pauseRequested = true
  },
  TaskPaused: (view, data) => {
    enter(view, data.expires_at, data.reason)
    view.pauseRequested = false
  },
  TaskResumed: (view, data) => {
    enter(view)
    view.ttlSeconds = data.ttl_seconds
  },
  CancelRequested: (view, data) => {
    view.cancelRequested = true
    view.cancelReason = data.reason
  },
  EffectStopped: (view, data) => {
    view.stoppedEffects.add(data.effect_id)
  },
  TaskCompleted: view => enter(view),
  TaskFailed: (view, data) => {
    enter(view)
    view.error = data.error
  },
  TaskCanceled: (view, data) => enter(view, undefined, data.reason),
  TaskExpired: view => enter(view),
  TaskDeleted: view => {
    view.deleted = true
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
  view.status = statusAfter(view.status, type)
  fold(view, data as TaskEventData<TaskEventType>, header)
  view.revision = header.revision
  view.position = position
  view.seq = (header.seq ?? 0) + (header.frames ?? 0)
  view.changedAt = millisOf(header.time)
  if (view.ended === undefined && isTerminal(view.status)) view.ended = { at: view.changedAt, position }
  return view
}

/** A stable name of the run of a step that is due now: another attempt is another effect. */
export const effectIdOf = (view: TaskView): string => {
  const attempt = view.abandonedSteps === 0 ? '' : `.${view.abandonedSteps}`
  return `${view.created?.task_id}/${view.completedSteps + 1}${attempt}`
}

const seconds = (millis: number): number => Math.floor(millis / 1000)

const metadataOf = (view: TaskView): Record<string, unknown> | undefined => {
  const { created } = view
  const own: Record<string, unknown> = {}
  if (created?.ignored_fields !== undefined) own.ignored_fields = created.ignored_fields
  if (created?.parent_task_id !== undefined) own.parent_task_id = created.parent_task_id
  if (view.expiresAt !== undefined) own.expires_at = seconds(view.expiresAt)
  if (view.reason !== undefined) own.reason = view.reason
  if (view.pendingCalls.length > 0) own.pending_inputs = view.pendingCalls
  const given = created?.request.metadata
  if (given === undefined || given === null) return Object.keys(own).length > 0 ? own : undefined
  return { ...given, ...own }
}

/** The task object of the interface as of now. Keys come in this order everywhere, `output` last. */
export const taskOf = (view: TaskView): Task => {
  const { created, status } = view
  if (created === undefined || status === 'absent') throw new Error('there is no task yet')
  const task: Partial<Task> = {
    object: 'task',
    id: created.task_id,
    session_id: created.session_id,
    user_id: created.user_id,
    status,
    created_at: seconds(view.createdAt),
  }
  if (view.usage !== undefined) task.usage = view.usage
  if (view.error !== undefined) task.error = view.error
  const oldest = view.pendingCalls[0]
  if (oldest !== undefined) task.input_required = oldest
  const metadata = metadataOf(view)
  if (metadata !== undefined) task.metadata = metadata
  if (created.previous_task_id !== undefined) task.previous_task_id = created.previous_task_id
  task.output = view.output.slice()
  return task as Task
}
