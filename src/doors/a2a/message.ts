// Takes a message: it makes a task, answers a task that waits, or reaches a task that works.
import type { A2AMessage, A2APart } from '../../contract/a2a/objects.ts'
import type { SendMessageRequest } from '../../contract/a2a/requests.ts'
import type { GivenPush } from '../../contract/events/webhook-events.ts'
import { mayBeStored } from '../../contract/stored.ts'
import {
  type AnswerCallsBody,
  type CreateTaskBody,
  isTerminal,
  type PendingCallItem,
} from '../../contract/wire.ts'
import { answersOf, askedOf } from '../../http/request/request.ts'
import { retryOf } from '../../http/request/request-id.ts'
import { createTaskCalls } from '../../http/routes/task-calls.ts'
import { digestOfBody } from '../../platform/digest.ts'
import { ask } from '../ask.ts'
import { firstTurn } from '../ids.ts'
import { type Call, pauseOf, rowOfTask, type Told, tellTask } from './call.ts'
import { A2AProblem, wrongParameter } from './errors.ts'
import { blockOf, withFacts } from './facts.ts'
import { contentOf, partsShown } from './parts.ts'
import { dropPush, pushOf, setUpPush } from './push.ts'

const at = ['message', 'parts']

/** Whether an answer with this form of output is wanted, and no text. */
const wantsJson = (modes: readonly string[] = []): boolean =>
  modes.includes('application/json') && !modes.some(mode => /^(?:text\/|\*)/.test(mode))

const createOf = (
  agent: string,
  { message, configuration, metadata }: SendMessageRequest,
): CreateTaskBody => {
  const { messageId, contextId, parts, metadata: own, extensions, referenceTaskIds } = message
  return {
    user_message_content: contentOf(parts, at),
    stream: false,
    agent_config: { agent_id: agent },
    ...(contextId ? { session_id: contextId } : {}),
    ...(wantsJson(configuration?.acceptedOutputModes) ? { structured_output: { type: 'object' } } : {}),
    metadata: withFacts(metadata, {
      message_id: messageId,
      ...(own === undefined ? {} : { message_metadata: own }),
      ...(extensions === undefined ? {} : { extensions }),
      ...(referenceTaskIds === undefined ? {} : { reference_task_ids: referenceTaskIds }),
    }),
  }
}

/** The configuration that a message brings. Without an id it has that of its message, so a retry brings the same. */
const pushIn = ({ message, configuration }: SendMessageRequest): GivenPush | undefined => {
  const config = configuration?.taskPushNotificationConfig
  return config && pushOf(config, `push_${digestOfBody(message.messageId).slice(0, 22)}`)
}

const makeTask = async ({ deps, request, reply, agent }: Call, body: SendMessageRequest): Promise<string> => {
  const asked = { create: createOf(agent, body), turn: firstTurn, push: pushIn(body) }
  return (await ask(deps, request, reply, asked)).id.taskId
}

/** The parts that answer each call. A part names its call in its metadata; without that, the task must wait for one alone. */
const answersIn = (
  parts: readonly A2APart[],
  waiting: readonly PendingCallItem[],
): Map<string, A2APart[]> => {
  const open = waiting.filter(({ metadata }) => metadata?.approval !== true)
  const answers = new Map<string, A2APart[]>()
  for (const [n, part] of parts.entries()) {
    const named = part.metadata?.call_id
    const only = open.length === 1 ? open[0]?.call_id : undefined
    const callId = typeof named === 'string' ? named : only
    if (callId === undefined) {
      const ids = waiting.map(({ call_id }) => call_id).join(', ')
      throw wrongParameter(
        [...at, n],
        `Name the call that this answers in metadata.call_id: the task waits for ${ids}`,
      )
    }
    const before = answers.get(callId)
    if (before === undefined) answers.set(callId, [part])
    else before.push(part)
  }
  return answers
}

const decisions = ['approve', 'refuse'] as const
const decisionIn = (parts: readonly A2APart[]) =>
  decisions.find(decision => parts.some(({ metadata }) => metadata?.decision === decision))

/** The digest under which the answers of a message to questions of tool servers are stored: no item of the task shows them. */
const digestOfAnswer = (taskId: string, { messageId, parts }: A2AMessage): string =>
  digestOfBody({ a2a: { taskId, messageId, parts } })

/** Gives answers and decisions to a task that waits. */
const answer = async (
  { deps, request }: Call,
  { taskId, teller }: Told,
  message: A2AMessage,
): Promise<void> => {
  const waiting = teller.waiting()
  const isQuestion = (callId: string) => teller.questions().has(callId)
  const calls = createTaskCalls(deps.tasks)
  const asked = askedOf(request)
  const answers = [...answersIn(message.parts, waiting)]
  const tool_results: AnswerCallsBody['tool_results'] = []
  for (const [call_id, parts] of answers) {
    const decision = decisionIn(parts)
    const declines = decision === 'refuse' && isQuestion(call_id)
    if (decision !== undefined && !declines) {
      await calls.decide(asked, taskId, { call_id, decision })
      continue
    }
    tool_results.push({
      call_id,
      message_content: contentOf(parts, at),
      ...(declines ? { status: 'incomplete' as const } : {}),
      ...(isQuestion(call_id) ? {} : { block_list: [blockOf(message)] }),
    })
  }
  if (tool_results.length === 0) return
  const digest = answers.some(([call_id]) => isQuestion(call_id))
    ? digestOfAnswer(taskId, message)
    : undefined
  await calls.answer(asked, taskId, { tool_results }, digest)
}
/** Whether the task has taken this message as answers to questions of tool servers. */
const wasAnswerToTool = async (call: Call, { taskId, teller }: Told, message: A2AMessage): Promise<boolean> =>
  teller.questions().size > 0 &&
  call.deps.tasks.hasTaken(taskId, digestOfAnswer(taskId, message), pauseOf(call))

const textsOf = (parts: readonly A2APart[]): string =>
  JSON.stringify(parts.map(part => JSON.stringify(part)).toSorted())

/** Whether the task has taken this message as its first one, or as answers: those to several calls are as many messages. */
const wasAnswer = ({ teller }: Told, { messageId, parts }: A2AMessage): boolean => {
  const known = (teller.task().history ?? []).filter(
    message => message.role === 'ROLE_USER' && message.messageId === messageId,
  )
  if (known.length === 0) return false
  const said = parts.filter(part => decisionIn([part]) === undefined)
  const text = textsOf(partsShown(contentOf(said, at)))
  return [...known.map(message => message.parts), known.flatMap(message => message.parts)].some(
    each => textsOf(each) === text,
  )
}

const namesCalls = ({ parts }: A2AMessage): boolean =>
  parts.every(({ metadata }) => typeof metadata?.call_id === 'string')

/** The content of a message for a task that works, and the key under which the task takes it once. */
const saidIn = ({ request }: Pick<Call, 'request'>, taskId: string, { messageId, parts }: A2AMessage) => {
  const content = contentOf(parts, at)
  const retry = retryOf(request)
  const key = retry.key ?? `a2a ${digestOfBody({ taskId, messageId, content })}`
  return { content, retry: { ...retry, key } }
}
/** Whether the task has taken this message while it worked. */
const wasSaid = ({ deps, request }: Call, taskId: string, message: A2AMessage): Promise<boolean> => {
  const { content, retry } = saidIn({ request }, taskId, message)
  return deps.tasks.commands.wasSaid(request.principal, taskId, content, retry.key)
}
const post = async ({ deps, request }: Call, taskId: string, message: A2AMessage): Promise<void> => {
  const { content, retry } = saidIn({ request }, taskId, message)
  await createTaskCalls(deps.tasks).message(askedOf(request), taskId, { content }, retry)
}

const isEnded = (taskId: string, status: string): A2AProblem =>
  new A2AProblem(
    'UNSUPPORTED_OPERATION',
    `The task is ${status} and takes no further messages. Send one with its contextId alone: it makes a new task in the same conversation`,
    { taskId },
  )

/** Does what a message asks for. Its configuration hears what comes of it, and is gone if the message is refused. */
const withPush = async (
  call: Call,
  taskId: string,
  push: GivenPush | undefined,
  act: () => Promise<void>,
): Promise<void> => {
  if (push === undefined || isTerminal(rowOfTask(call, taskId).status)) return act()
  const webhook = await setUpPush(call, taskId, push)
  return act().catch(async error => {
    if (!mayBeStored(error)) await dropPush(call, taskId, webhook)
    throw error
  })
}

/** Brings a message to its task. */
const goOn = async (call: Call, taskId: string, body: SendMessageRequest): Promise<void> => {
  const { message } = body
  const row = rowOfTask(call, taskId)
  if (message.contextId && message.contextId !== row.session_id)
    throw wrongParameter(['message', 'contextId'], 'The task belongs to another context')
  const told = await tellTask(call, taskId, pauseOf(call))
  if (wasAnswer(told, message) || (await wasAnswerToTool(call, told, message))) return
  if (await wasSaid(call, taskId, message)) return
  // A retry that names its calls finds the task at work or ended, and changes nothing.
  const isAnswer = told.teller.waiting().length > 0 || namesCalls(message)
  if (!isAnswer && isTerminal(row.status)) throw isEnded(taskId, row.status)
  await withPush(call, taskId, pushIn(body), () =>
    isAnswer ? answer(call, told, message) : post(call, taskId, message),
  )
}

/** Takes a message. Returns its task as it is then. */
export const takeMessage = async (call: Call, body: SendMessageRequest): Promise<Told> => {
  const { message } = body
  if (message.role !== 'ROLE_USER')
    throw wrongParameter(['message', 'role'], 'A client sends messages of ROLE_USER')
  const { pause } = answersOf(call.deps.serving, call.request, call.reply)
  if (!message.taskId) return tellTask(call, await makeTask(call, body), pause)
  await goOn(call, message.taskId, body)
  return tellTask(call, message.taskId, pause)
}
