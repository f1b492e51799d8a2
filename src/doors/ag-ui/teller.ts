// Tells a turn of a task as the events of a run. The events follow from the stored frames alone, so each reading of the log tells
// them again with the same numbers, and a stream can be taken up after any of them.
import type { AgUiEvent, AgUiInterrupt } from '../../contract/ag-ui/events.ts'
import type { RunAgentInput } from '../../contract/ag-ui/input.ts'
import type { TaskEventData } from '../../contract/events/task-events.ts'
import type { OutputItem, PendingCallItem, ToolCallItem, ToolResultItem, Usage } from '../../contract/wire.ts'
import type { Frame } from '../../history/frames.ts'
import { type TurnId, withTask } from '../ids.ts'
import { saidIn, textOf } from '../openai/responses/output.ts'
import { type Beat, hasBegun, taskIn } from '../turns.ts'
import { protocol, takesNew } from './protocol.ts'
import { usageOf } from './usage.ts'

type About = Pick<RunAgentInput, 'threadId' | 'runId' | 'parentRunId' | 'protocolVersion' | 'state'>

/** What a human reads who answers a call: many questions have a text of this name. */
const questionIn = (args: string): string | undefined => {
  try {
    const { question, message } = JSON.parse(args) as Record<string, unknown>
    return [question, message].find(text => typeof text === 'string')
  } catch {
    return undefined
  }
}

const timeOf = (seconds: unknown) =>
  typeof seconds === 'number' ? { expiresAt: new Date(seconds * 1000).toISOString() } : {}

/** `body`: that of the request, whose names the run has. */
export const createRunTeller = (
  created: TaskEventData<'TaskCreated'>,
  { taskId, turn }: TurnId,
  { threadId, runId, parentRunId, protocolVersion, state }: About,
) => {
  const ofRun = { threadId, runId }
  const isNew = takesNew(protocolVersion)
  const ownTools = new Set((created.request.client_tools ?? []).map(tool => tool.function.name))
  /** What ends each message and call that is open, by its id. */
  const open = new Map<string, AgUiEvent[]>()
  /** The part of each message that was said last. */
  const parts = new Map<string, string>()
  /** The calls that this turn has shown, by their ids. True: they have a result. */
  const calls = new Map<string, boolean>()
  let step: number | undefined
  /** The message of the step to which its calls belong. */
  let parent: string | undefined
  let before: Usage | undefined
  let isTold = false

  const close = (id: string): AgUiEvent[] => {
    const events = open.get(id) ?? []
    open.delete(id)
    return events
  }
  const stepName = (n: number) => `step ${n}`
  const endStep = (): AgUiEvent[] => {
    const ended = step
    step = undefined
    parent = undefined
    return ended === undefined ? [] : [{ type: 'STEP_FINISHED', stepName: stepName(ended) }]
  }
  const enterStep = ({ agent_step: next }: Frame): AgUiEvent[] => {
    if (typeof next !== 'number' || next <= (step ?? 0)) return []
    const ended = endStep()
    step = next
    return [...ended, { type: 'STEP_STARTED', stepName: stepName(next) }]
  }

  const begin = (item: OutputItem): AgUiEvent[] => {
    if (item.type === 'tool_call') return beginCall(item)
    const said = saidIn(item)
    if (said === undefined) return []
    const messageId = withTask(said.id ?? '', taskId)
    if (said.type === 'reasoning') {
      open.set(messageId, [
        { type: 'REASONING_MESSAGE_END', messageId },
        { type: 'REASONING_END', messageId },
      ])
      return [
        { type: 'REASONING_START', messageId },
        { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
      ]
    }
    parent = messageId
    open.set(messageId, [{ type: 'TEXT_MESSAGE_END', messageId }])
    const name = said.name === undefined ? {} : { name: said.name }
    return [{ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant', ...name }]
  }
  const beginCall = ({ id, call_id, name }: ToolCallItem): AgUiEvent[] => {
    const toolCallId = withTask(call_id, taskId)
    if (calls.has(toolCallId)) return []
    calls.set(toolCallId, false)
    parent ??= withTask(id ?? call_id, taskId)
    open.set(toolCallId, [{ type: 'TOOL_CALL_END', toolCallId }])
    return [{ type: 'TOOL_CALL_START', toolCallId, toolCallName: name, parentMessageId: parent }]
  }

  const say = (type: 'TEXT_MESSAGE_CONTENT' | 'REASONING_MESSAGE_CONTENT', frame: Frame): AgUiEvent[] => {
    const messageId = withTask(String(frame.item_id), taskId)
    if (frame.delta === '' || !open.has(messageId)) return []
    const part = `${frame.type} ${frame.content_index}`
    const isNext = type === 'REASONING_MESSAGE_CONTENT' && (parts.get(messageId) ?? part) !== part
    parts.set(messageId, part)
    return [{ type, messageId, delta: `${isNext ? '\n\n' : ''}${frame.delta}` }]
  }
  const argue = (callId: unknown, delta: unknown): AgUiEvent[] => {
    const toolCallId = withTask(String(callId), taskId)
    if (delta === '' || !open.has(toolCallId)) return []
    return [{ type: 'TOOL_CALL_ARGS', toolCallId, delta: String(delta) }]
  }

  const result = ({ id, call_id, message_content }: ToolResultItem): AgUiEvent[] => {
    const toolCallId = withTask(call_id, taskId)
    if (calls.get(toolCallId) === true) return []
    calls.set(toolCallId, true)
    const messageId = withTask(id ?? call_id, taskId)
    const content = textOf(message_content)
    return [...close(toolCallId), { type: 'TOOL_CALL_RESULT', toolCallId, messageId, role: 'tool', content }]
  }
  /** A call whose step broke off is not made. Front ends run each call of theirs that has no result. */
  const cut = ({ id, call_id }: ToolCallItem): AgUiEvent[] => {
    const message_content = 'This call was not made, since the answer of the model broke off.'
    const type = 'tool_result' as const
    return result({ type, id: `${id ?? call_id}-cut`, call_id, message_content, block_list: [] })
  }
  const end = (item: OutputItem): AgUiEvent[] => {
    if (item.type === 'tool_result') return result(item)
    if (item.type !== 'tool_call') return close(withTask(item.id ?? '', taskId))
    return item.status === 'incomplete' ? cut(item) : close(withTask(item.call_id, taskId))
  }

  const over = (last: AgUiEvent): AgUiEvent[] => [...[...open.keys()].flatMap(close), ...endStep(), last]
  const used = (frame: Frame) => usageOf(before, taskIn(frame).usage)
  const finish = (
    frame: Frame,
    outcome: Extract<AgUiEvent, { type: 'RUN_FINISHED' }>['outcome'],
  ): AgUiEvent[] => over({ type: 'RUN_FINISHED', ...ofRun, outcome, ...used(frame) })
  const fail = (frame: Frame, code: string, message: string): AgUiEvent[] =>
    over({ type: 'RUN_ERROR', message, code, ...used(frame) })

  const interruptOf = (
    { call_id, arguments: args, metadata }: PendingCallItem,
    expiresAt: ReturnType<typeof timeOf>,
  ): AgUiInterrupt => {
    const id = withTask(call_id, taskId)
    const message = questionIn(args)
    const { schema, asked_by } = metadata ?? {}
    return {
      id,
      reason: 'input_required',
      toolCallId: id,
      ...(message === undefined ? {} : { message }),
      ...(schema === undefined ? {} : { responseSchema: schema }),
      ...expiresAt,
      ...(asked_by === undefined ? {} : { metadata: { asked_by } }),
    }
  }
  /**
   * A run that calls tools of the front end alone is a success: the front end decides whether it goes on. What the agent asks
   * besides is an interrupt.
   */
  const ask = (frame: Frame, asked: PendingCallItem[]): AgUiEvent[] => {
    const shown = asked.flatMap(each => {
      const { call_id, arguments: args } = each
      const begun = beginCall(each)
      return begun.length === 0
        ? []
        : [...begun, ...argue(call_id, args), ...close(withTask(call_id, taskId))]
    })
    const pendingToolCallIds = asked.map(({ call_id }) => withTask(call_id, taskId))
    if (asked.every(({ name }) => ownTools.has(name)))
      return [...shown, ...finish(frame, { type: 'success', ...(isNew ? { pendingToolCallIds } : {}) })]
    const until = timeOf(taskIn(frame).metadata?.expires_at)
    const interrupts = asked.map(each => interruptOf(each, until))
    return [...shown, ...finish(frame, { type: 'interrupt', interrupts })]
  }

  const rules: Partial<Record<Frame['type'], (frame: Frame) => AgUiEvent[]>> = {
    'task.output_item.added': ({ item }) => begin(item as OutputItem),
    'task.output_item.done': ({ item }) => end(item as OutputItem),
    'task.text.delta': frame => say('TEXT_MESSAGE_CONTENT', frame),
    'task.reasoning_text.delta': frame => say('REASONING_MESSAGE_CONTENT', frame),
    'task.reasoning_summary_text.delta': frame => say('REASONING_MESSAGE_CONTENT', frame),
    'task.tool_call_arguments.delta': ({ call_id, delta }) => argue(call_id, delta),
    'task.completed': frame => finish(frame, { type: 'success' }),
    'task.failed': frame => fail(frame, 'task_failed', (frame.error as { message: string }).message),
    'task.expired': frame => fail(frame, 'task_expired', 'the task has expired'),
    // Clients before 1.0 know no outcome for this.
    'task.canceled': frame =>
      isNew ? finish(frame, { type: 'cancelled' }) : fail(frame, 'task_canceled', 'the task was canceled'),
  }

  const beginning = (): AgUiEvent[] => {
    if (isTold) return []
    isTold = true
    const parentRun = parentRunId ? { parentRunId } : {}
    return [
      { type: 'RUN_STARTED', ...ofRun, ...parentRun, protocolVersion: protocol },
      // It comes also without a state, so that each event has the same number whatever state the client has by then.
      { type: 'STATE_SNAPSHOT', snapshot: state ?? {} },
    ]
  }

  return {
    /** The events that a frame of the task gives. The frames must come from the first one on. */
    tell(beat: Beat): AgUiEvent[] {
      const { frame, asked } = beat
      if (beat.turn !== turn) {
        if (asked !== undefined && frame.sequence_number <= turn) before = taskIn(frame).usage
        return []
      }
      if (!hasBegun(turn, beat)) return []
      const told = beginning()
      if (asked !== undefined) return [...told, ...ask(frame, asked)]
      return [...told, ...enterStep(frame), ...(rules[frame.type]?.(frame) ?? [])]
    },
  }
}
