// Reads the body of a run: the task that it answers, the run that it joins, or the task that it makes. A client sends its whole
// conversation each time, so most of it is known.
import type { AgUiMessage, RunAgentInput } from '../../contract/ag-ui/input.ts'
import { ownerOf, type Principal } from '../../contract/events/token-events.ts'
import { Invalid, Refusal } from '../../contract/refusals.ts'
import type { CreateTaskBody, OutputItem } from '../../contract/wire.ts'
import type { Pause } from '../../fairness/slices.ts'
import type { TaskDoor } from '../../http/doors.ts'
import { answeredBy, rowOf } from '../answers.ts'
import type { Asked } from '../ask.ts'
import { firstTurn, inTask, type TurnId } from '../ids.ts'
import { givenIn } from './given.ts'
import { contentOf, itemsOf } from './messages.ts'

type Deps = { tasks: TaskDoor; principal: Principal; pause: Pause }

/** What a body asks for: a run that is there, or a create. */
export type Run = { joins: TurnId } | Asked

type Place = { agent: string; threadId: string }

/** A run stays with its agent and its thread. */
const mustBeAt = ({ tasks, principal }: Deps, taskId: string, { agent, threadId }: Place): boolean => {
  const row = rowOf(tasks, principal, taskId)
  if (row === undefined) return false
  const { agent: own, session_id } = row
  if (own === agent && session_id === threadId) return true
  const why = `the task ${taskId} belongs to the thread ${JSON.stringify(session_id)} of the agent ${own}`
  throw new Refusal('Conflict', { task_id: taskId, session_id, agent: own }, why)
}

/** The task of which a message is; undefined: it is the client's own. */
const taskOf = (message: AgUiMessage): string | undefined => {
  const ids = [message.id]
  if (message.role === 'tool') ids.push(message.toolCallId)
  if (message.role === 'assistant') ids.push(...(message.toolCalls ?? []).map(({ id }) => id))
  return ids.flatMap(id => inTask(id)?.taskId ?? [])[0]
}

/**
 * The number of messages that the session has already. They are those up to the last message of its newest task, if this task
 * saw the session too. 0: the client has a conversation of its own, for example since it dropped an answer and asks again.
 */
const known = async ({ tasks, principal }: Deps, { threadId, messages }: RunAgentInput): Promise<number> => {
  const last = messages.findLastIndex(message => taskOf(message) !== undefined)
  const newest = tasks.queries.lastInSession(ownerOf(principal, undefined), threadId)
  if (last < 0 || newest === undefined || newest !== taskOf(messages[last] as AgUiMessage)) return 0
  if (rowOf(tasks, principal, newest)?.status !== 'completed') return 0
  const { own_past, previous_task_id } = await tasks.createdOf(tasks.streamOf(newest))
  return own_past && previous_task_id !== undefined ? 0 : last + 1
}

const itemsIn = (messages: readonly AgUiMessage[], from: number): OutputItem[] =>
  messages.slice(from).flatMap((message, n) => itemsOf(message, ['body', 'messages', from + n]))

/** The conversation of a new task: what it brings, and the message of the user with which it ends. */
const conversationOf = async (deps: Deps, body: RunAgentInput) => {
  const { messages } = body
  const last = messages.at(-1)
  const asks = last?.role === 'user' && last.content.length > 0
  const user_message_content = asks ? contentOf(last.content, ['body', 'messages', messages.length - 1]) : ''
  const from = await known(deps, body)
  const before = itemsIn(asks ? messages.slice(0, -1) : messages, from)
  if (before.length === 0) return { user_message_content }
  return { user_message_content, [from > 0 ? 'thought_messages' : 'history_messages']: before }
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)

/** What the application says beside the conversation, for the model. */
const promptOf = ({ context, state }: RunAgentInput): string | undefined => {
  const lines = (context ?? []).map(({ description, value }) => `- ${description}: ${value}`)
  if (!isEmpty(state)) lines.push(`- The state of the application, as JSON: ${JSON.stringify(state)}`)
  return lines.length === 0 ? undefined : `The application of the user says:\n${lines.join('\n')}`
}

/** The key of a task's metadata that has what only this door knows of its request. */
export const ownMetadata = 'ag_ui'

const metadataOf = ({ parentRunId, state, forwardedProps }: RunAgentInput) => {
  const facts = Object.entries({ parentRunId, state, forwardedProps }).filter(([, value]) => !isEmpty(value))
  return facts.length === 0 ? {} : { metadata: { [ownMetadata]: Object.fromEntries(facts) } }
}

const createOf = async (deps: Deps, agent: string, body: RunAgentInput): Promise<CreateTaskBody> => {
  const prompt = promptOf(body)
  const tools = (body.tools ?? []).map(({ name, description, parameters }) => ({
    type: 'function' as const,
    function: { name, parameters: parameters ?? {}, ...(description ? { description } : {}) },
  }))
  return {
    stream: false,
    task_id: body.runId,
    session_id: body.threadId,
    agent_config: { agent_id: agent, ...(prompt === undefined ? {} : { developer_prompt: prompt }) },
    ...(await conversationOf(deps, body)),
    ...(tools.length === 0 ? {} : { client_tools: tools }),
    ...metadataOf(body),
  }
}

const noInterrupt = (n: number, id: string) => {
  const loc = ['body', 'resume', n, 'interruptId']
  return new Invalid([{ loc, msg: `There is no interrupt ${JSON.stringify(id)}`, type: 'value_error' }])
}

/** The same `runId` is the same run, unless the body answers a task: a client may go on under the id of the first run. */
export const readRun = async (deps: Deps, agent: string, body: RunAgentInput): Promise<Run> => {
  const { tasks, principal, pause } = deps
  const place = { agent, threadId: body.threadId }
  const answered = await answeredBy(tasks, principal, givenIn(body), { pause })
  if (answered !== undefined) {
    mustBeAt(deps, answered.create.task_id as string, place)
    return answered
  }
  const [unknown] = body.resume ?? []
  if (unknown !== undefined) throw noInterrupt(0, unknown.interruptId)
  if (mustBeAt(deps, body.runId, place)) return { joins: { taskId: body.runId, turn: firstTurn } }
  return { create: await createOf(deps, agent, body), turn: firstTurn }
}
