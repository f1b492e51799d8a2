// Finds the contents of messages for the span that an event ends, if the operator has switched this on. They become
// attributes of the span, in the format of OpenTelemetry. For parts that are not text, only the kind is exported.

import type { RecordedTaskEvent } from '../contract/decoders/task.ts'
import { readJson } from '../contract/json/exact-json.ts'
import { isTerminal, type OutputItem } from '../contract/wire.ts'
import { firstSeen, type ReadStream, type Seen } from '../history/context.ts'
import { rolloutOf, type StepEnd } from '../history/rollout.ts'
import { withRest } from '../history/said.ts'
import { itemOf } from '../history/task/output.ts'
import { emptyTask, evolve, type TaskView } from '../history/task-view.ts'

type Contents = Record<string, string>
type Part = { type: string; [key: string]: unknown }
type Said = { role: string; parts: Part[] }

const partsOf = (content: unknown): Part[] => {
  if (typeof content === 'string') return [{ type: 'text', content }]
  if (!Array.isArray(content)) return []
  return content.map((part: string | { type: string; text?: string }) => {
    if (typeof part === 'string') return { type: 'text', content: part }
    return part.text === undefined ? { type: part.type } : { type: 'text', content: part.text }
  })
}

const parsed = (json: string): unknown => {
  try {
    return readJson(json)
  } catch {
    return json // the model may have written invalid JSON
  }
}

/** A message that was sent to the model or received from it. */
type CompletionsMessage = {
  role: string
  content?: unknown
  reasoning_content?: string
  tool_call_id?: string
  tool_calls?: { id: string; function: { name: string; arguments: string } }[]
}
const saidIn = (message: CompletionsMessage): Said => {
  const { role, content, reasoning_content: thought, tool_call_id: id, tool_calls = [] } = message
  if (id !== undefined) return { role, parts: [{ type: 'tool_call_response', id, response: content }] }
  const calls = tool_calls.map(({ id, function: { name, arguments: args } }) => {
    return { type: 'tool_call', id, name, arguments: parsed(args) }
  })
  const thoughts = thought === undefined ? [] : [{ type: 'reasoning', content: thought }]
  return { role, parts: [...thoughts, ...partsOf(content), ...calls] }
}

/** The step as if the endpoint spoke chat completions, so that the messages of every protocol have one form here. */
const asCompletions = (event: StepEnd): StepEnd => {
  const { request } = event.data
  if (request === undefined) return event
  const { protocol: _, switches: __, ...asked } = request
  return { ...event, data: { ...event.data, request: asked } }
}

const contentsOf = (input: Said[], output: Said[], finish_reason: string): Contents => {
  const parts = output.flatMap(message => message.parts)
  return {
    'gen_ai.input.messages': JSON.stringify(input),
    ...(parts.length === 0
      ? {}
      : { 'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts, finish_reason }]) }),
  }
}

const ofTask = ({ created, output, cutOff, status: end }: TaskView): Contents => {
  const isSaid = ({ id = '', status }: OutputItem) => status === 'completed' || cutOff.has(id)
  const answer = output.findLast(item => item.type === 'message' && isSaid(item))
  const said =
    answer?.type === 'message' ? [{ role: 'assistant', parts: partsOf(answer.message_content) }] : []
  const asked = { role: 'user', parts: partsOf(created?.request.user_message_content) }
  return contentsOf([asked], said, end === 'completed' ? 'stop' : 'error')
}

const ofCall = (view: TaskView, callId: string, result: unknown): Contents => {
  const call = view.calls.get(callId)
  const item = call && itemOf(view, call.itemId)
  return {
    ...(item?.type === 'tool_call' ? { 'gen_ai.tool.call.arguments': item.arguments } : {}),
    'gen_ai.tool.call.result': typeof result === 'string' ? result : JSON.stringify(result),
  }
}

export type TaskContents = {
  /** Takes the next event of the stream. Resolves with the contents for the outermost span that the event ends. */
  take(event: RecordedTaskEvent): Promise<Contents>
}

export const createTaskContents = (read: ReadStream): TaskContents => {
  const view = emptyTask()
  let first: Seen | undefined

  const ofEvent = async (event: RecordedTaskEvent): Promise<Contents> => {
    if (event.type === 'AgentStepCompleted' && event.data.request !== undefined) {
      first ??= await firstSeen(read, view)
      const {
        input_messages,
        output_messages,
        finish_reason = 'stop',
      } = rolloutOf(view, asCompletions(event), first, [])
      const [input, output] = [input_messages, output_messages] as CompletionsMessage[][]
      return contentsOf((input ?? []).map(saidIn), (output ?? []).map(saidIn), finish_reason)
    }
    if (event.type === 'EffectCompleted' && !event.data.turn) {
      const { call_id, content } = event.data
      const said = view.calls.get(call_id)?.said?.text
      return ofCall(view, call_id, said === undefined ? content : withRest(said, content))
    }
    if (event.type === 'InputAccepted') {
      const { item } = event.data
      return item.type === 'tool_result' ? ofCall(view, item.call_id, item.message_content) : {}
    }
    return {}
  }

  return {
    async take(event) {
      const contents = await ofEvent(event)
      evolve(view, event)
      return isTerminal(view.status) && view.ended?.position === event.position ? ofTask(view) : contents
    },
  }
}
