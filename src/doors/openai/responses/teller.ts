// Tells a turn of a task as the events of a response. The events follow from the stored frames alone, so each reading of the
// log tells them again with the same numbers, and a stream can be taken up after any of them.
import type { TaskEventData } from '../../../contract/events/task-events.ts'
import type { Item, OpenAIResponse, ResponseEvent } from '../../../contract/openai/responses.ts'
import type {
  OutputItem,
  TextContentItem,
  ToolCallItem,
  ToolResultItem,
  Usage,
} from '../../../contract/wire.ts'
import type { Frame } from '../../../history/frames.ts'
import { type TurnId, withTask } from '../../ids.ts'
import { type Beat, hasBegun, taskIn } from '../../turns.ts'
import { usageSince } from '../usage.ts'
import { responseId } from './ids.ts'
import { responseAtStart } from './object.ts'
import { functionCall, partShown, saidIn, saidShown, serverCall, withoutText } from './output.ts'

type Told = { type: string } & Record<string, unknown>

/** Why an answer is not whole, in OpenAI's words. */
const incompleteFor = (reason: unknown): { reason?: string } => {
  if (reason === 'length') return { reason: 'max_output_tokens' }
  return reason === 'content_filter' ? { reason } : {}
}

export const createTeller = (created: TaskEventData<'TaskCreated'>, { taskId, turn }: TurnId) => {
  const response: OpenAIResponse = responseAtStart(created, responseId({ taskId, turn }), undefined)
  const places = new Map<string, number>()
  const calls = new Map<string, ToolCallItem>()
  const partTypes = new Map<string, TextContentItem['type']>()
  let before: Usage | undefined
  /** The time of the last frame that has one, in Unix seconds. */
  let time = 0
  let hasWorked = false
  let next = 0
  let isTold = false
  /** Whether no answer is missing: somebody else may still have to let the task go on. */
  let isAnswered = false

  const snapshot = (): OpenAIResponse => ({ ...response, output: [...response.output] })
  const ofResponse = (word: string): Told => ({ type: `response.${word}`, response: snapshot() })

  /** A part of an item that is known. */
  const inItem = ({ item_id, content_index }: Frame) => {
    const output_index = places.get(String(item_id))
    return output_index === undefined
      ? undefined
      : { item_id: withTask(String(item_id), taskId), output_index, content_index }
  }
  const inSummary = (frame: Frame) => {
    const place = inItem(frame)
    if (place === undefined) return undefined
    const { content_index: summary_index, ...rest } = place
    return { ...rest, summary_index }
  }
  const at = (place: object | undefined, ...events: Told[]): Told[] =>
    place === undefined ? [] : events.map(({ type, ...rest }) => ({ type, ...place, ...rest }))

  const begin = (item: Item): { output_index: number; item: Item } => {
    const output_index = response.output.push(item) - 1
    return { output_index, item }
  }
  const end = (output_index: number, item: Item): Told => {
    response.output[output_index] = item
    return { type: 'response.output_item.done', output_index, item }
  }

  const added = (item: OutputItem): Told[] => {
    const said = saidIn(item)
    if (said === undefined) return []
    const shown = begin(saidShown(said, taskId))
    places.set(said.id ?? '', shown.output_index)
    return [{ type: 'response.output_item.added', ...shown }]
  }

  /** A whole call with its events. `kind`: the words of its kind of item. */
  const call = (item: Item, kind: 'function_call' | 'mcp_call'): Told[] => {
    const { output_index } = begin({ ...item, status: 'in_progress' })
    const place = { output_index, item_id: item.id }
    const args = { arguments: item.arguments, ...(kind === 'function_call' ? { name: item.name } : {}) }
    const { output: _, error: __, ...open } = item
    return [
      {
        type: 'response.output_item.added',
        output_index,
        item: { ...open, arguments: '', status: 'in_progress' },
      },
      ...(kind === 'mcp_call' ? [{ type: 'response.mcp_call.in_progress', ...place }] : []),
      { type: `response.${kind}_arguments.delta`, ...place, delta: item.arguments },
      { type: `response.${kind}_arguments.done`, ...place, ...args },
      ...(kind === 'mcp_call' ? [{ type: `response.mcp_call.${item.status}`, ...place }] : []),
      end(output_index, item),
    ]
  }

  const done = (item: OutputItem): Told[] => {
    if (item.type === 'tool_call') {
      calls.set(item.call_id, item)
      return []
    }
    if (item.type === 'tool_result') return resulted(item)
    const said = saidIn(item)
    const place = places.get(item.id ?? '')
    return said === undefined || place === undefined ? [] : [end(place, saidShown(said, taskId))]
  }
  /** Keeps the calls of an earlier turn that have no result: they may get it in this one. */
  const keepCalls = ({ frame: { type, item }, asked = [] }: Beat): void => {
    for (const { call_id } of asked) calls.delete(call_id)
    if (type !== 'task.output_item.done') return
    const { type: kind, call_id } = item as ToolCallItem | ToolResultItem
    if (kind === 'tool_call') calls.set(call_id, item as ToolCallItem)
    else if (kind === 'tool_result') calls.delete(call_id)
  }
  const resulted = (result: ToolResultItem): Told[] => {
    const made = calls.get(result.call_id)
    calls.delete(result.call_id)
    return made === undefined ? [] : call(serverCall(made, result, taskId), 'mcp_call')
  }

  /** Ends the response, with its last event. */
  const over = (word: 'completed' | 'incomplete' | 'failed', frame: Frame): Told[] => {
    response.completed_at = time
    response.usage = usageSince(before, taskIn(frame).usage)
    return [ofResponse(word)]
  }
  /** Takes away what a step said before it broke off. Returns why the answer is not whole, if so. */
  const withoutBroken = (frame: Frame) => {
    const details = taskIn(frame).metadata?.incomplete_details as
      | { reason?: string; items?: string[] }
      | undefined
    const cut = new Set(details?.items?.map(id => withTask(id, taskId)))
    response.output = response.output.map(item =>
      item.status === 'incomplete' && !cut.has(String(item.id)) ? withoutText(item) : item,
    )
    return details
  }
  const ended = (frame: Frame): Told[] => {
    const details = withoutBroken(frame)
    if (details === undefined) response.status = 'completed'
    else {
      response.status = 'incomplete'
      response.incomplete_details = incompleteFor(details.reason)
    }
    return over(details === undefined ? 'completed' : 'incomplete', frame)
  }
  const failed = (frame: Frame, message: string): Told[] => {
    response.status = 'failed'
    response.error = { code: 'server_error', message }
    return over('failed', frame)
  }

  const textEvents = (frame: Frame, word: 'delta' | 'done'): Told[] => {
    const { item_id, content_index, delta, text } = frame
    const refused = partTypes.get(`${item_id} ${content_index}`) === 'refusal'
    const said = word === 'delta' ? { delta } : refused ? { refusal: text } : { text }
    const type = `response.${refused ? 'refusal' : 'output_text'}.${word}`
    return at(inItem(frame), { type, ...said, ...(refused ? {} : { logprobs: [] }) })
  }
  const partEvents = (frame: Frame, word: 'added' | 'done'): Told[] => {
    const part = frame.part as TextContentItem
    partTypes.set(`${frame.item_id} ${frame.content_index}`, part.type)
    return at(inItem(frame), { type: `response.content_part.${word}`, part: partShown(part) })
  }

  const rules: Partial<Record<Frame['type'], (frame: Frame) => Told[]>> = {
    'task.queued': () => {
      response.status = 'queued'
      return [ofResponse('queued')]
    },
    'task.working': () => {
      response.status = 'in_progress'
      if (hasWorked) return []
      hasWorked = true
      return [ofResponse('in_progress')]
    },
    'task.output_item.added': ({ item }) => added(item as OutputItem),
    'task.output_item.done': ({ item }) => done(item as OutputItem),
    'task.content_part.added': frame => partEvents(frame, 'added'),
    'task.content_part.done': frame => partEvents(frame, 'done'),
    'task.text.delta': frame => textEvents(frame, 'delta'),
    'task.text.done': frame => textEvents(frame, 'done'),
    'task.reasoning_text.delta': frame =>
      at(inItem(frame), { type: 'response.reasoning_text.delta', delta: frame.delta }),
    'task.reasoning_text.done': frame =>
      at(inItem(frame), { type: 'response.reasoning_text.done', text: frame.text }),
    'task.reasoning_summary_part.added': frame =>
      at(inSummary(frame), {
        type: 'response.reasoning_summary_part.added',
        part: partShown(frame.part as TextContentItem),
      }),
    'task.reasoning_summary_part.done': frame =>
      at(inSummary(frame), {
        type: 'response.reasoning_summary_part.done',
        part: partShown(frame.part as TextContentItem),
      }),
    'task.reasoning_summary_text.delta': frame =>
      at(inSummary(frame), { type: 'response.reasoning_summary_text.delta', delta: frame.delta }),
    'task.reasoning_summary_text.done': frame =>
      at(inSummary(frame), { type: 'response.reasoning_summary_text.done', text: frame.text }),
    'task.completed': ended,
    'task.failed': frame => failed(frame, (frame.error as { message: string }).message),
    'task.expired': frame => failed(frame, 'the task has expired'),
    'task.canceled': frame => {
      response.status = 'cancelled'
      return over('incomplete', frame)
    },
  }

  const tellFrame = ({ frame, asked }: Beat): Told[] => {
    if (asked === undefined) return rules[frame.type]?.(frame) ?? []
    const told = asked.flatMap(each => call(functionCall(each, taskId), 'function_call'))
    withoutBroken(frame)
    response.status = 'completed'
    return [...told, ...over('completed', frame)]
  }

  const beginning = (): Told[] => {
    if (isTold) return []
    isTold = true
    response.created_at = time
    return [ofResponse('created')]
  }

  return {
    /** The events that a frame of the task gives. The frames must come from the first one on. */
    tell(beat: Beat): ResponseEvent[] {
      const { timestamp } = beat.frame
      if (typeof timestamp === 'string') time = Math.floor(Date.parse(timestamp) / 1000)
      if (beat.turn !== turn) {
        if (beat.frame.sequence_number > turn) return []
        keepCalls(beat)
        if (beat.asked === undefined) return []
        before = taskIn(beat.frame).usage
        response.previous_response_id = responseId({ taskId, turn: beat.turn })
        return []
      }
      if (beat.isLastAnswer) isAnswered = true
      if (!hasBegun(turn, beat)) return []
      const told = [...beginning(), ...tellFrame(beat)]
      return told.map(({ type, ...rest }) => ({ type, sequence_number: next++, ...rest }))
    },
    /** The response so far; undefined: it has not begun. */
    response(): OpenAIResponse | undefined {
      if (isTold) return snapshot()
      return isAnswered ? { ...snapshot(), created_at: time } : undefined
    },
  }
}
export type Teller = ReturnType<typeof createTeller>
