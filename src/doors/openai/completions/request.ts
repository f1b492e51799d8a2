// Reads the body of a chat completion: which task it answers, or which task it makes. A client sends the whole conversation
// each time, so a new task has a session of its own, and sees what the client sends.
import type { Principal } from '../../../contract/events/token-events.ts'
import type { ChatMessage, ChatPart, CreateChatCompletionBody } from '../../../contract/openai/completions.ts'
import type { ContentPart, CreateTaskBody, MessageContent, OutputItem } from '../../../contract/wire.ts'
import type { Pause } from '../../../fairness/slices.ts'
import type { TaskDoor } from '../../../http/doors.ts'
import { answeredBy, type Given } from '../../answers.ts'
import type { Asked, DoorDeps } from '../../ask.ts'
import { bare, firstTurn } from '../../ids.ts'
import { anyObject, mustBeAgent, settingsOf } from '../agent.ts'
import { OpenAIProblem } from '../errors.ts'

const partOf = (part: ChatPart): ContentPart => {
  if (part.type === 'refusal') return { type: 'refusal', text: part.refusal }
  if (part.type === 'image_url') {
    const { url, detail } = part.image_url
    return { type: 'image_url', image_url: { url, ...(detail ? { detail } : {}) } }
  }
  if (part.type !== 'file') return part
  const { file_data, filename } = part.file
  return { type: 'file', file: { file_data, filename: filename || 'file' } }
}

const contentOf = (content: ChatMessage['content']): MessageContent =>
  typeof content === 'string' ? content : (content ?? []).map(partOf)

const refused = (refusal: string): MessageContent => [{ type: 'refusal', text: refusal }]

const itemsOf = (message: ChatMessage, at: string): OutputItem[] => {
  const { role, content, refusal, tool_calls, tool_call_id, name } = message
  if (role === 'tool') {
    if (!tool_call_id) throw new OpenAIProblem(`${at}.tool_call_id`, 'A message of a tool needs tool_call_id')
    const call_id = bare(tool_call_id)
    return [{ type: 'tool_result', call_id, message_content: contentOf(content), block_list: [] }]
  }
  const said = refusal && !content ? refused(refusal) : contentOf(content)
  const calls = (tool_calls ?? []).map(
    ({ id, function: { name, arguments: args } }): OutputItem => ({
      type: 'tool_call',
      call_id: bare(id),
      name,
      arguments: args,
    }),
  )
  if (calls.length > 0 && said.length === 0) return calls
  return [{ type: 'message', role, ...(name ? { name } : {}), message_content: said }, ...calls]
}

/**
 * The results and the messages behind the last answer of the agent. The results of earlier calls are among them, since only
 * the task that asked for them knows which are new.
 */
const givenIn = (messages: readonly ChatMessage[]): Given => {
  const last = messages.findLastIndex(({ role, tool_calls }) => role === 'assistant' && !tool_calls?.length)
  const given = messages
    .map((message, at) => ({ ...message, at, content: contentOf(message.content) }))
    .filter(({ at, role }) => at > last && role !== 'assistant')
  return {
    list: 'messages',
    results: given.flatMap(({ at, role, tool_call_id: callId, content }) =>
      role === 'tool' && callId ? [{ at, callId, content }] : [],
    ),
    messages: given.filter(({ role }) => role !== 'tool'),
  }
}

const schemaOf = ({ response_format: format }: CreateChatCompletionBody) => {
  if (format?.type === 'json_schema') return format.json_schema.schema
  return format?.type === 'json_object' ? anyObject : undefined
}

type Deps = Pick<DoorDeps, 'agents'> & { tasks: TaskDoor; pause: Pause }

export const readCompletion = async (
  body: CreateChatCompletionBody,
  principal: Principal,
  { tasks, agents, pause }: Deps,
): Promise<Asked> => {
  mustBeAgent(agents, principal, body.model)
  const items = body.messages.flatMap((message, n) => itemsOf(message, `messages[${n}]`))
  const last = body.messages.at(-1)
  const message = last?.role === 'user' ? contentOf(last.content) : ''
  const answered = await answeredBy(tasks, principal, givenIn(body.messages), { pause })
  if (answered !== undefined) return answered
  const before = message.length > 0 ? items.slice(0, -1) : items
  const settings = settingsOf({
    ...body,
    maxTokens: body.max_completion_tokens ?? body.max_tokens,
    tools: (body.tools ?? []).map(tool => tool.function),
    schema: schemaOf(body),
    args: {
      temperature: body.temperature,
      top_p: body.top_p,
      frequency_penalty: body.frequency_penalty,
      presence_penalty: body.presence_penalty,
      logit_bias: body.logit_bias,
      seed: body.seed,
      stop: body.stop,
      reasoning_effort: body.reasoning_effort,
    },
    parallel: body.parallel_tool_calls,
  })
  const create: CreateTaskBody = {
    ...settings,
    user_message_content: message,
    ...(before.length === 0 ? {} : { history_messages: before }),
  }
  return { create, turn: firstTurn }
}
