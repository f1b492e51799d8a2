// Makes the frames of each event of a task. The frames form the public stream of the task. The event alone says how
// many frames it gives, so the writer numbers them when the event is stored. A reader that gets another number of
// frames has found damage. A stored event must always give the same frames:
// docs/decisions/50-what-a-stored-event-once-gave.md

import type { RecordedTaskEvent } from '../contract/decoders/task.ts'
import type { OpenItem, TaskEvent, TaskEventData, TaskEventType } from '../contract/events/task-events.ts'
import type { FrameType } from '../contract/frames.ts'
import { DamagedEvent } from '../contract/stored.ts'
import type { ToolResultItem } from '../contract/wire.ts'
import {
  callDelta,
  callDone,
  delta,
  type FrameBody,
  hasRest,
  itemAdded,
  itemDone,
  partAdded,
  resultAdded,
  resultDelta,
  resultDone,
  resultFrames,
  wholeText,
} from './frame-bodies.ts'
import { itemOf, opensPart } from './task/output.ts'
import { taskOf } from './task-object.ts'
import { evolveFramed, type FramedTask } from './task-view.ts'

/** One frame of the task stream, which the wire carries inside a JSON-RPC envelope. */
export type Frame = { type: FrameType; sequence_number: number; task_id: string } & Record<string, unknown>

type Rule<T extends TaskEventType> = {
  count: (data: TaskEventData<T>) => number
  /** Called with the view after the event. */
  frames: (view: FramedTask, data: TaskEventData<T>, time: string) => FrameBody[]
}

const none = { count: () => 0, frames: () => [] }
const one = (frame: (view: FramedTask, time: string) => FrameBody) => ({
  count: () => 1,
  frames: (view: FramedTask, _data: unknown, time: string) => [frame(view, time)],
})
const withTask = (type: FrameType) => one((view, timestamp) => ({ type, timestamp, task: taskOf(view) }))

const compression = 'task.context_compression'

/** The frames that end open items. An item without parts is a call, whose arguments have a frame. */
const countOfOpen = (items: readonly OpenItem[]): number =>
  items.reduce((sum, { parts }) => sum + (parts === 0 ? 2 : 2 * parts + 1), 0)
const openDone = (view: FramedTask, agent_step: number, items: readonly OpenItem[]): FrameBody[] =>
  items.flatMap(({ item_id }) => {
    const item = itemOf(view, item_id)
    return [...callDone(agent_step, item), ...itemDone(agent_step, item)]
  })

const rules: { [T in TaskEventType]: Rule<T> } = {
  TaskCreated: withTask('task.created'),
  TaskQueued: one((_, timestamp) => ({ type: 'task.queued', timestamp })),
  TaskStarted: one((_, timestamp) => ({ type: 'task.working', timestamp })),
  TaskResumed: one((_, timestamp) => ({ type: 'task.working', timestamp })),
  InputAnswered: one((_, timestamp) => ({ type: 'task.working', timestamp })),
  TaskPaused: withTask('task.paused'),
  InputRequired: one((view, timestamp) => ({
    type: 'task.input_required',
    timestamp,
    input_required: view.pendingCalls[0],
    task: taskOf(view),
  })),
  TaskCompleted: withTask('task.completed'),
  TaskCanceled: withTask('task.canceled'),
  TaskExpired: withTask('task.expired'),
  TaskFailed: one((view, timestamp) => ({
    type: 'task.failed',
    timestamp,
    error: view.error,
    task: taskOf(view),
  })),
  ItemDelta: {
    count: data => (data.item === undefined ? 0 : 1) + (opensPart(data) ? 1 : 0) + 1,
    frames: (view, data) => {
      const { agent_step, item_id, content_index, part } = data
      const item = itemOf(view, item_id)
      const added = data.item === undefined ? [] : [itemAdded(agent_step, item)]
      if (part === 'arguments') return [...added, ...callDelta(agent_step, item, data.delta)]
      const at = { item_id, agent_step, content_index }
      return [...added, ...(data.first ? [partAdded(at, part)] : []), delta(at, part, data.delta)]
    },
  },
  ItemCompleted: {
    count: data => (data.item === 'tool_call' ? 2 : 2 * data.parts + 1),
    frames: (view, { agent_step, item_id }) => {
      const item = itemOf(view, item_id)
      return [...callDone(agent_step, item), ...itemDone(agent_step, item)]
    },
  },
  ItemSaid: {
    count: data => (data.part === 'arguments' ? 4 : 2 + 4 * data.texts.length),
    frames: (view, { agent_step, item_id, part, texts }) => {
      const item = itemOf(view, item_id)
      const added = itemAdded(agent_step, item)
      if (part === 'arguments') {
        const said = callDelta(agent_step, item, texts.join(''))
        return [added, ...said, ...callDone(agent_step, item), ...itemDone(agent_step, item)]
      }
      return [
        added,
        ...texts.flatMap((text, index) => wholeText(item_id, agent_step, index, part, text)),
        { type: 'task.output_item.done', agent_step, item },
      ]
    },
  },
  AgentStepAbandoned: {
    count: ({ items }) => countOfOpen(items),
    frames: (view, { agent_step, items }) => openDone(view, agent_step, items),
  },
  EffectPromised: none,
  EffectSaid: {
    count: ({ first }) => (first ? 2 : 1),
    frames: (view, { agent_step, item_id, first, delta }) => {
      const item = itemOf(view, item_id) as ToolResultItem
      return [...(first ? [resultAdded(agent_step, item)] : []), resultDelta(agent_step, item, delta)]
    },
  },
  EffectCut: {
    count: ({ items }) => (items === undefined ? 2 : countOfOpen(items)),
    frames: (view, { agent_step, item_id, items = [] }) =>
      item_id === undefined
        ? openDone(view, agent_step, items)
        : resultDone(agent_step, itemOf(view, item_id) as ToolResultItem),
  },
  // The frame of a rollout is empty here, as that of a step.
  EffectCompleted: {
    count: ({ turn, bare, model, ...data }) =>
      turn || bare ? (model?.rollout ? 1 : 0) : data.said === undefined || hasRest(data) ? 3 : 2,
    frames: (view, data) => {
      const { agent_step, item_id, said, content, blocks, turn, model } = data
      if (turn || item_id === undefined) return model?.rollout ? [{ type: 'task.rollout' }] : []
      const item = itemOf(view, item_id) as ToolResultItem
      if (said === undefined) return resultFrames(agent_step, item)
      const rest = hasRest(data) ? [resultDelta(agent_step, item, content, blocks)] : []
      return [...rest, ...resultDone(agent_step, item)]
    },
  },
  // With other arguments, the item of the call is shown once more.
  ApprovalDecided: {
    count: data => (data.arguments === undefined ? 0 : 2),
    frames: (view, { agent_step, item_id, arguments: given }) => {
      const item = itemOf(view, item_id)
      return given === undefined ? [] : [...callDone(agent_step, item), ...itemDone(agent_step, item)]
    },
  },
  // A message to the agent is not output. The client's answer to a call is.
  InputAccepted: {
    count: ({ item }) => (item.type === 'tool_result' ? 3 : 0),
    frames: (_, { agent_step, item }) =>
      item.type === 'tool_result' ? resultFrames(agent_step ?? 1, item) : [],
  },
  // The frame of a rollout is empty here. frame-renderer.ts adds the rollout, since it needs the context of the step.
  AgentStepCompleted: {
    count: data => (data.compressed ? 1 : 0) + (data.rollout ? 1 : 0),
    frames: (_, { agent_step, compressed, rollout, usage }) => {
      const frames: FrameBody[] = []
      if (compressed) {
        const { compression_id } = compressed
        frames.push({ type: `${compression}.completed`, agent_step, compression_id, usage: usage ?? {} })
      }
      if (rollout) frames.push({ type: 'task.rollout' })
      return frames
    },
  },
  // The tools are in a stream of their own; frame-renderer.ts adds them.
  ToolsOffered: {
    count: data => (data.changed ? 1 : 0),
    frames: (_, { changed }) => (changed ? [{ type: 'task.tools_updated' }] : []),
  },
  CompressionStarted: {
    count: () => 2,
    frames: (_, { agent_step, compression_id }) =>
      (['created', 'in_progress'] as const).map(stage => ({
        type: `${compression}.${stage}`,
        agent_step,
        compression_id,
      })),
  },
  // A speaker's message gives the same frames as any other message of an agent. The user's message is in one frame.
  GroupChatMessage: {
    count: ({ role }) => (role === 'assistant' ? 6 : 2),
    frames: (view, { agent_step, message_id, role, content }) => {
      const item = itemOf(view, message_id)
      const done = { type: 'task.output_item.done', agent_step, item } as const
      if (role === 'user') return [itemAdded(agent_step, item), done]
      const text = typeof content === 'string' ? content : ''
      return [itemAdded(agent_step, item), ...wholeText(message_id, agent_step, 0, 'output_text', text), done]
    },
  },
  GroupChatAgentThinking: none,
  GroupChatAgentResponse: none,
  AgentSpawned: none,
  AgentStepStarted: none,
  AgentWaits: none,
  ApprovalRequired: none,
  WorkerAwaited: none,
  EffectIntended: none,
  InputConsumed: none,
  RewardGiven: none,
  AgentCompleted: none,
  AgentError: none,
  PauseRequested: none,
  CancelRequested: none,
  EffectStopped: none,
  TaskDeleted: none,
}

/** The number of frames that an event gives. */
export const frameCount = ({ type, data }: TaskEvent): number =>
  (rules[type] as Rule<TaskEventType>).count(data)

/**
 * Makes a function that applies one event to a view and returns the frames of that event. The function throws
 * DamagedEvent when the frames do not have the numbers that the header says.
 */
export const framesOf =
  <View extends FramedTask>(evolve: (view: View, event: RecordedTaskEvent) => View) =>
  (view: View, event: RecordedTaskEvent): Frame[] => {
    const { header, position, type, data } = event
    const firstSeq = view.seq
    evolve(view, event)
    const bodies = (rules[type] as Rule<TaskEventType>).frames(view, data, header.time)
    if (header.seq !== firstSeq || header.frames !== bodies.length) {
      const why = `gives ${bodies.length} frames from ${firstSeq}, and its header numbers them differently`
      throw new DamagedEvent(position, why)
    }
    const task_id = view.created?.task_id ?? ''
    return bodies.map(({ type, ...rest }, index) => ({
      type,
      sequence_number: firstSeq + index,
      task_id,
      ...rest,
    }))
  }

/** Applies one event to the view of a task and returns the frames of that event. */
export const renderFrames = framesOf(evolveFramed)
