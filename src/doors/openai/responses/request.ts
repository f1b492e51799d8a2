// Reads the body of a response: which task it answers, or which task it makes.
import type { Principal } from '../../../contract/events/token-events.ts'
import type { CreateResponseBody } from '../../../contract/openai/responses.ts'
import type { CreateTaskBody, MessageContent, OutputItem, Task } from '../../../contract/wire.ts'
import type { Pause } from '../../../fairness/slices.ts'
import type { AgentDoor, TaskDoor } from '../../../http/doors.ts'
import { digestOfBody } from '../../../platform/digest.ts'
import { answeredBy, rowOf } from '../../answers.ts'
import type { Asked } from '../../ask.ts'
import { standingOf } from '../../follow.ts'
import { firstTurn, inTask, withTask } from '../../ids.ts'
import { anyObject, mustBeAgent, present, settingsOf } from '../agent.ts'
import { OpenAIProblem } from '../errors.ts'
import { taskOfResponse } from './ids.ts'
import { type Input, isUserMessage, readInput } from './input.ts'

/**
 * What the protocol asked for and a task cannot say. `metadata`: keys that the service writes itself. `background`: tasks of other
 * makers run in the background too, and this says that a response does.
 */
export type ResponseFacts = {
  background?: true
  previous_response_id?: string
  parallel_tool_calls?: boolean
  tool_choice?: unknown
  format?: { name: string; description?: string; strict?: boolean }
  metadata?: Record<string, unknown>
}

const schemaOf = ({ text }: CreateResponseBody): Record<string, unknown> | undefined => {
  const format = text?.format
  if (format?.type === 'json_schema') return format.schema
  return format?.type === 'json_object' ? anyObject : undefined
}

const factsOf = (body: CreateResponseBody): ResponseFacts => {
  const format = body.text?.format
  const { name, description, strict } = format?.type === 'json_schema' ? format : {}
  return present({
    background: body.background ? true : undefined,
    previous_response_id: body.previous_response_id,
    parallel_tool_calls: body.parallel_tool_calls,
    tool_choice: body.tool_choice,
    format: name === undefined ? undefined : present({ name, description, strict }),
  })
}

type Deps = { tasks: TaskDoor; agents: Pick<AgentDoor, 'list'>; pause: Pause }

/** The user's message with which an input ends. */
const messageOf = (items: OutputItem[]): MessageContent => {
  const last = items.at(-1)
  return last !== undefined && isUserMessage(last) ? last.message_content : ''
}

const notFound = (id: string) =>
  new OpenAIProblem(
    'previous_response_id',
    `Previous response with id '${id}' not found`,
    'previous_response_not_found',
  )

const noCall = (callId: string) =>
  new OpenAIProblem('input', `No tool call found for function call output with call_id ${callId}`)

/** The task of the response that this one goes on from, and what it waits for. */
const previousOf = async (
  { previous_response_id: id, input }: CreateResponseBody,
  principal: Principal,
  { tasks, pause }: Deps,
) => {
  if (!id) return undefined
  const place = taskOfResponse(id)
  const row = place && rowOf(tasks, principal, place.taskId)
  if (row === undefined) throw notFound(id)
  const answers = typeof input !== 'string' && input.some(({ type }) => type === 'function_call_output')
  if (row.status === 'input-required' && !answers) {
    const [call] = (await standingOf(tasks, row.id, pause)).waitsFor
    if (call !== undefined) {
      const message = `No tool output found for function call ${withTask(call.call_id, row.id)}`
      throw new OpenAIProblem('input', message)
    }
  }
  return row
}

/** The output of a task as references name it. */
const outputOf = async ({ tasks, pause }: Deps, row: NonNullable<ReturnType<typeof rowOf>>) => {
  const { text } = tasks.recall.ofRow(row, pause)
  const parts: string[] = []
  if (typeof text === 'string') parts.push(text)
  else for await (const piece of text) parts.push(String(piece))
  const { output } = JSON.parse(parts.join('')) as Task
  const items = new Map<string, OutputItem[]>()
  const results = new Map(
    output.flatMap(item => (item.type === 'tool_result' ? [[item.call_id, item] as const] : [])),
  )
  for (const item of output) {
    // A call that the server ran stands for its result, too, and is shown with the id of its call.
    const result = item.type === 'tool_call' ? results.get(item.call_id) : undefined
    const named = result === undefined ? [item] : [item, result]
    if (item.id !== undefined) items.set(item.id, named)
    if (item.type === 'tool_call') items.set(item.call_id, named)
  }
  return items
}

/**
 * Finds the items that references mean: items of tasks that the caller may see. Each task is read once, however many
 * references name its items.
 */
const references = (deps: Deps, principal: Principal, inSession: string | undefined) => {
  /** By the id of the task. `inSession`: the session has its items already. */
  const known = new Map<string, Awaited<ReturnType<typeof outputOf>> | 'inSession' | undefined>()
  const read = async (taskId: string) => {
    const row = rowOf(deps.tasks, principal, taskId)
    if (row === undefined) return undefined
    return row.session_id === inSession ? 'inSession' : outputOf(deps, row)
  }
  return async (id: string): Promise<OutputItem[]> => {
    const place = inTask(id)
    if (place !== undefined && !known.has(place.taskId)) known.set(place.taskId, await read(place.taskId))
    const output = place && known.get(place.taskId)
    if (output === 'inSession') return []
    const found = place && output?.get(place.id)
    if (found === undefined) throw new OpenAIProblem('input', `Item with id '${id}' not found`)
    return found
  }
}

/** The conversation of a new task. In a session, the task sees the session first; otherwise only what it brings. */
const conversationOf = (
  { items }: Input,
  inSession: boolean,
): Partial<CreateTaskBody> & { user_message_content: MessageContent } => {
  const user_message_content = messageOf(items)
  const before = user_message_content === '' ? items : items.slice(0, -1)
  if (before.length === 0) return { user_message_content }
  return { user_message_content, [inSession ? 'thought_messages' : 'history_messages']: before }
}

export const readResponse = async (
  body: CreateResponseBody,
  principal: Principal,
  deps: Deps,
): Promise<Asked> => {
  const { tasks, agents, pause } = deps
  mustBeAgent(agents, principal, body.model)
  const previous = await previousOf(body, principal, deps)
  const refer = references(deps, principal, previous?.session_id)
  let known: string | undefined
  const digest = () => {
    known ??= digestOfBody(body)
    return known
  }
  const input = await readInput(body.input, { refer, digest })
  const answered = await answeredBy(tasks, principal, input, { named: previous?.id, pause })
  if (answered !== undefined) return answered
  const [stray] = input.results
  if (previous !== undefined && stray !== undefined) throw noCall(stray.callId)

  const settings = settingsOf({
    ...body,
    maxTokens: body.max_output_tokens,
    tools: body.tools ?? [],
    schema: schemaOf(body),
    facts: factsOf(body),
    args: {
      temperature: body.temperature,
      top_p: body.top_p,
      reasoning_effort: body.reasoning?.effort,
    },
    parallel: body.parallel_tool_calls,
  })
  const create: CreateTaskBody = {
    ...settings,
    ...conversationOf(input, previous !== undefined),
    ...(body.background ? { background: true } : {}),
    ...(previous === undefined ? {} : { session_id: previous.session_id, user_id: previous.user_id }),
  }
  return { create, turn: firstTurn }
}
