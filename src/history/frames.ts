// The frames of each event of a task, which are its public stream. The event alone says how many frames it gives, so
// the writer numbers them when the event is stored. A reader that gets another number of frames has found damage. A
// stored event must always give the same frames: docs/decisions/50-what-a-stored-event-once-gave.md

import type { RecordedTaskEvent } from '../contract/decoders/task.ts'
import type { FrameType } from '../contract/frames.ts'
import { DamagedEvent } from '../contract/stored.ts'
import type { TaskEvent, TaskEventData, TaskEventType } from '../contract/task-events.ts'
import type { Block, MessageContent, OutputItem, TextContentItem, ToolResultItem } from '../contract/wire.ts'
import { partsOf } from './items.ts'
import { itemOf, opensPart } from './task/output.ts'
import { taskOf } from './task-object.ts'
import { evolveFramed, type FramedTask } from './task-view.ts'

/** One frame of the task stream, which the wire carries inside a JSON-RPC envelope. */
export type Frame = { type: FrameType; sequence_number: number; task_id: string } & Record<string, unknown>

type FrameBody = { type: FrameType } & Record<string, unknown>
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

/** The family of frame names for a kind of text part. */
const familyOf = (part: TextContentItem['type']) => {
  if (part === 'summary_text')
    return { part: 'reasoning_summary_part', text: 'reasoning_summary_text' } as const
  if (part === 'reasoning_text') return { part: 'content_part', text: 'reasoning_text' } as const
  return { part: 'content_part', text: 'text' } as const
}

const partAdded = (at: object, part: TextContentItem['type']): FrameBody => ({
  type: `task.${familyOf(part).part}.added`,
  ...at,
  part: { type: part, text: '' },
})
const delta = (at: object, part: TextContentItem['type'], text: string): FrameBody => ({
  type: `task.${familyOf(part).text}.delta`,
  ...at,
  delta: text,
})
const partDone = (at: object, part: TextContentItem): FrameBody[] => [
  { type: `task.${familyOf(part.type).text}.done`, ...at, text: part.text },
  { type: `task.${familyOf(part.type).part}.done`, ...at, part },
]

const callDelta = (agent_step: number, item: OutputItem, delta: string): FrameBody[] =>
  item.type !== 'tool_call'
    ? []
    : [
        {
          type: 'task.tool_call_arguments.delta',
          item_id: item.id,
          call_id: item.call_id,
          agent_step,
          delta,
        },
      ]
const callDone = (agent_step: number, item: OutputItem): FrameBody[] => {
  if (item.type !== 'tool_call') return []
  const { id: item_id, call_id, arguments: args } = item
  return [{ type: 'task.tool_call_arguments.done', item_id, call_id, agent_step, arguments: args }]
}
const resultAdded = (agent_step: number, item: ToolResultItem): FrameBody => {
  const shell = { ...item, status: 'in_progress' as const, message_content: '', block_list: [] }
  return { type: 'task.output_item.added', agent_step, item: shell }
}
const resultDone = (agent_step: number, item: ToolResultItem): FrameBody[] => {
  const { id: item_id, call_id, message_content, block_list } = item
  return [
    { type: 'task.tool_result.done', item_id, call_id, agent_step, message_content, block_list },
    { type: 'task.output_item.done', agent_step, item },
  ]
}
/** The frames of a result whose call streamed no text: one whole item. */
const resultFrames = (agent_step: number, item: ToolResultItem): FrameBody[] => [
  resultAdded(agent_step, item),
  ...resultDone(agent_step, item),
]
const resultDelta = (
  agent_step: number,
  { id: item_id, call_id }: ToolResultItem,
  delta_message_content: MessageContent,
  delta_block_list: Block[] = [],
): FrameBody => ({
  type: 'task.tool_result.delta',
  ...{ item_id, call_id, agent_step, delta_message_content, delta_block_list },
})
/** Whether a result has more than the text that its call streamed. */
const hasRest = ({ content, blocks }: TaskEventData<'EffectCompleted'>): boolean =>
  content.length > 0 || blocks !== undefined

/** The parts of an item in the order of their frames: a reasoning item's summary comes first. */
const allParts = (item: OutputItem): { content_index: number; part: TextContentItem }[] => {
  const lists =
    item.type === 'reasoning'
      ? [item.summary, item.content ?? []]
      : item.type === 'message'
        ? [partsOf(item, 'output_text')]
        : []
  return lists.flatMap(parts => parts.map((part, content_index) => ({ content_index, part })))
}

const shellOf = (item: OutputItem): OutputItem => {
  if (item.type === 'message') return { ...item, status: 'in_progress', message_content: [] }
  if (item.type === 'reasoning') {
    return { type: 'reasoning', id: item.id, status: 'in_progress', summary: [] }
  }
  if (item.type === 'tool_call') return { ...item, status: 'in_progress', arguments: '' }
  return item
}

const itemAdded = (agent_step: number, item: OutputItem): FrameBody => ({
  type: 'task.output_item.added',
  agent_step,
  item: shellOf(item),
})
const itemDone = (agent_step: number, item: OutputItem): FrameBody[] => [
  ...allParts(item).flatMap(({ content_index, part }) =>
    partDone({ item_id: item.id, agent_step, content_index }, part),
  ),
  { type: 'task.output_item.done', agent_step, item },
]

const compression = 'task.context_compression'

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
        ...texts.flatMap((text, content_index) => {
          const at = { item_id, agent_step, content_index }
          return [partAdded(at, part), delta(at, part, text), ...partDone(at, { type: part, text })]
        }),
        { type: 'task.output_item.done', agent_step, item },
      ]
    },
  },
  AgentStepAbandoned: {
    count: data => data.items.reduce((sum, { parts, call }) => sum + 2 * parts + (call ? 2 : 1), 0),
    frames: (view, data) =>
      data.items.flatMap(({ item_id, call }) => {
        const item = itemOf(view, item_id)
        return [...(call ? callDone(data.agent_step, item) : []), ...itemDone(data.agent_step, item)]
      }),
  },
  EffectSaid: {
    count: ({ first }) => (first ? 2 : 1),
    frames: (view, { agent_step, item_id, first, delta }) => {
      const item = itemOf(view, item_id) as ToolResultItem
      return [...(first ? [resultAdded(agent_step, item)] : []), resultDelta(agent_step, item, delta)]
    },
  },
  EffectCut: {
    count: () => 2,
    frames: (view, { agent_step, item_id }) =>
      resultDone(agent_step, itemOf(view, item_id) as ToolResultItem),
  },
  EffectCompleted: {
    count: data => (data.said === undefined || hasRest(data) ? 3 : 2),
    frames: (view, data) => {
      const { agent_step, item_id, said, content, blocks } = data
      const item = itemOf(view, item_id) as ToolResultItem
      if (said === undefined) return resultFrames(agent_step, item)
      const rest = hasRest(data) ? [resultDelta(agent_step, item, content, blocks)] : []
      return [...rest, ...resultDone(agent_step, item)]
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
  AgentSpawned: none,
  AgentStepStarted: none,
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
