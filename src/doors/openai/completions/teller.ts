// Tells a turn of a task as a chat completion: the text of the agent, and the calls that its client must run. What the agent
// thinks, and the calls that the server runs, have no place in this protocol.
import type { TaskEventData } from '../../../contract/events/task-events.ts'
import type {
  ChatChunk,
  ChatCompletion,
  FinishReason,
  GivenCall,
} from '../../../contract/openai/completions.ts'
import type { ResponseUsage } from '../../../contract/openai/responses.ts'
import { Refusal } from '../../../contract/refusals.ts'
import type { OutputItem, PendingCallItem, TextContentItem, Usage } from '../../../contract/wire.ts'
import type { Frame } from '../../../history/frames.ts'
import { type TurnId, turnText, withTask } from '../../ids.ts'
import { type Beat, hasBegun, taskIn } from '../../turns.ts'
import { saidIn } from '../responses/output.ts'
import { asChat, usageSince } from '../usage.ts'

type Delta = ChatChunk['choices'][number]['delta']

/** What stands between two messages of the agent, which are one text in this protocol. */
const between = '\n\n'

const callOf = ({ call_id, name, arguments: args }: PendingCallItem, taskId: string): GivenCall => ({
  id: withTask(call_id, taskId),
  type: 'function',
  function: { name, arguments: args },
})

const finishOf = (reason: string | undefined): FinishReason =>
  reason === 'length' || reason === 'content_filter' ? reason : 'stop'

type Message = { id: string; content: string; refusal: string }
const messageOf = (item: Exclude<ReturnType<typeof saidIn>, undefined>): Message | undefined => {
  if (item.type !== 'message') return undefined
  const { id = '', message_content } = item
  if (typeof message_content === 'string') return { id, content: message_content, refusal: '' }
  const parts = message_content as TextContentItem[]
  const textOf = (refused: boolean) =>
    parts.flatMap(({ type, text }) => ((type === 'refusal') === refused ? [text] : [])).join('')
  return { id, content: textOf(false), refusal: textOf(true) }
}

export const createChatTeller = (created: TaskEventData<'TaskCreated'>, { taskId, turn }: TurnId) => {
  /** An answer that must be JSON is the last message alone, so a stream has it at its end. */
  const isJson = created.request.structured_output != null
  const messages: Message[] = []
  const partTypes = new Map<string, TextContentItem['type']>()
  let before: Usage | undefined
  let time = 0
  let createdAt: number | undefined
  let spoke: string | undefined
  let calls: GivenCall[] = []
  let usage: ResponseUsage = usageSince(undefined, undefined)
  let finish: FinishReason | undefined
  let failure: Refusal | undefined

  const head = () => ({
    id: `chatcmpl-${turnText({ taskId, turn })}`,
    created: createdAt ?? time,
    model: created.agent,
  })
  const chunk = (delta: Delta, finish_reason: FinishReason | null = null): ChatChunk => ({
    ...head(),
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  })

  const said = ({ item_id, content_index, delta }: Frame): ChatChunk[] => {
    if (isJson) return []
    const id = String(item_id)
    const text = spoke === undefined || spoke === id ? String(delta) : `${between}${delta}`
    spoke = id
    const isRefusal = partTypes.get(`${id} ${content_index}`) === 'refusal'
    return [chunk(isRefusal ? { refusal: text } : { content: text })]
  }
  const done = (item: OutputItem): ChatChunk[] => {
    const whole = saidIn(item)
    const message = whole && messageOf(whole)
    if (message !== undefined) messages.push(message)
    return []
  }
  const end = (frame: Frame, reason: FinishReason): ChatChunk[] => {
    usage = usageSince(before, taskIn(frame).usage)
    finish = reason
    const last = isJson && reason !== 'tool_calls' ? messages.at(-1) : undefined
    return [...(last === undefined ? [] : [chunk({ content: last.content })]), chunk({}, reason)]
  }
  /** Takes away what a step said before it broke off. Returns why the answer is not whole, if so. */
  const withoutBroken = (frame: Frame) => {
    const details = taskIn(frame).metadata?.incomplete_details as
      | { reason?: string; items?: string[] }
      | undefined
    const shown = new Set(
      taskIn(frame).output.flatMap(({ id, status, type }) =>
        type === 'message' && (status !== 'incomplete' || details?.items?.includes(id ?? ''))
          ? [id ?? '']
          : [],
      ),
    )
    const whole = messages.filter(({ id }) => shown.has(id))
    messages.splice(0, messages.length, ...whole)
    return details
  }
  const ended = (frame: Frame): ChatChunk[] => end(frame, finishOf(withoutBroken(frame)?.reason))
  const asks = (frame: Frame, asked: PendingCallItem[]): ChatChunk[] => {
    withoutBroken(frame)
    calls = asked.map(each => callOf(each, taskId))
    const deltas = calls.map((call, index) => chunk({ tool_calls: [{ index, ...call }] }))
    return [...deltas, ...end(frame, 'tool_calls')]
  }
  const fails = (message: string): ChatChunk[] => {
    failure = new Refusal('TaskFailed', { task_id: taskId }, message)
    return []
  }

  const tellFrame = ({ frame, asked }: Beat): ChatChunk[] => {
    if (asked !== undefined) return asks(frame, asked)
    switch (frame.type) {
      case 'task.content_part.added':
        partTypes.set(`${frame.item_id} ${frame.content_index}`, (frame.part as TextContentItem).type)
        return []
      case 'task.text.delta':
        return said(frame)
      case 'task.output_item.done':
        return done(frame.item as OutputItem)
      case 'task.completed':
        return ended(frame)
      case 'task.failed':
        return fails((frame.error as { message: string }).message)
      case 'task.expired':
        return fails('the task has expired')
      case 'task.canceled':
        return fails('the task was canceled')
      default:
        return []
    }
  }

  return {
    /** The chunks that a frame of the task gives. The frames must come from the first one on. */
    tell(beat: Beat): ChatChunk[] {
      const { timestamp } = beat.frame
      if (typeof timestamp === 'string') time = Math.floor(Date.parse(timestamp) / 1000)
      if (beat.turn !== turn) {
        if (beat.asked !== undefined && beat.frame.sequence_number <= turn) before = taskIn(beat.frame).usage
        return []
      }
      if (!hasBegun(turn, beat)) return []
      const first = createdAt === undefined
      createdAt ??= time
      return [...(first ? [chunk({ role: 'assistant', content: '' })] : []), ...tellFrame(beat)]
    },
    /** Why the turn gives no completion; undefined: it may give one. */
    failure: () => failure,
    usage: () => asChat(usage),
    /** The chunk with the usage, which follows the others when the client wants it. */
    usageChunk: (): ChatChunk => ({
      ...head(),
      object: 'chat.completion.chunk',
      choices: [],
      usage: asChat(usage),
    }),
    completion(): ChatCompletion {
      const shown = isJson ? (calls.length > 0 ? [] : messages.slice(-1)) : messages
      const join = (texts: string[]) => texts.filter(text => text !== '').join(between)
      const content = join(shown.map(each => each.content))
      const refusal = join(shown.map(each => each.refusal))
      const isSilent = content === '' && (calls.length > 0 || refusal !== '')
      return {
        ...head(),
        object: 'chat.completion',
        choices: [
          {
            index: 0,
            message: {
              role: 'assistant',
              content: isSilent ? null : content,
              refusal: refusal === '' ? null : refusal,
              ...(calls.length === 0 ? {} : { tool_calls: calls }),
            },
            logprobs: null,
            finish_reason: finish ?? 'stop',
          },
        ],
        usage: asChat(usage),
      }
    },
  }
}
