// A call of an agent: a task. The call follows the task to its end, or to a question for its client. A call that takes long
// becomes a task that the client asks for, if it knows tasks. The task is stored before anything is answered.
import { addAbortListener } from 'node:events'
import { callerOf } from '../../contract/events/token-events.ts'
import { Invalid } from '../../contract/refusals.ts'
import { AgentConfig, type AgentInfo, type CreateTaskBody } from '../../contract/wire.ts'
import { answersOf, faultOf, readBy } from '../../http/request/request.ts'
import { watchDelivery } from '../../http/routes/task-create.ts'
import { rowOf } from '../answers.ts'
import { ask, nameTask } from '../ask.ts'
import { standingOf } from '../follow.ts'
import { firstTurn, type TurnId, turnOf, turnText } from '../ids.ts'
import { taskIn } from '../turns.ts'
import { cancel } from './cancel.ts'
import { problemsIn, tasksExtension } from './error-form.ts'
import { invalidParams, missingCapability } from './errors.ts'
import { type Exchange, isRecord } from './exchange.ts'
import { followCall } from './follow-call.ts'
import { giveAnswers } from './give-answers.ts'
import { askOlderClient } from './older-clients.ts'
import { elicitationFor, type Questions } from './questions.ts'
import { taskNow } from './task-now.ts'
import { failedResult, resultOf, taskResult } from './task-object.ts'
import { parametersOf } from './tools.ts'

type Arguments = Record<string, unknown>
/** The answers that the client has sent and that no question has got yet, by the keys of the questions. */
type Answers = Map<string, unknown>

/** Arguments that are named like a setting of agents reach the agent only if its parameters name them. */
const configOf = (agent: AgentInfo, args: Arguments): Arguments => {
  const { properties } = parametersOf(agent) ?? {}
  const isOwn = ([name]: [string, unknown]) =>
    !Object.hasOwn(AgentConfig.properties, name) || (isRecord(properties) && Object.hasOwn(properties, name))
  return Object.fromEntries(Object.entries(args).filter(isOwn))
}

const createOf = (agent: AgentInfo, args: Arguments): CreateTaskBody => {
  const isMessage = parametersOf(agent) === undefined
  return {
    user_message_content: isMessage ? String(args.input) : JSON.stringify(args),
    stream: false,
    agent_config: { ...(isMessage ? {} : configOf(agent, args)), agent_id: agent.name },
  }
}

/** What is wrong with the arguments; empty: nothing is. */
const problemsOf = async (
  { deps: { mcp }, request }: Exchange,
  agent: AgentInfo,
  args: Arguments,
): Promise<string[]> => {
  const parameters = parametersOf(agent)
  if (parameters !== undefined) return mcp.problemsOf(parameters, args, callerOf(request.principal))
  return typeof args.input === 'string' ? [] : ['/input must be string']
}

/** Makes the task. What is wrong with the arguments is a result, so that the model which has made the call reads it. */
const begin = async (
  exchange: Exchange,
  agent: AgentInfo,
  args: Arguments,
): Promise<TurnId | { result: object }> => {
  const { deps, request, reply, client } = exchange
  const problems = await problemsOf(exchange, agent, args)
  if (problems.length > 0) return { result: failedResult(`The arguments do not fit: ${problems.join('; ')}`) }
  try {
    const asked = { create: createOf(agent, args), turn: firstTurn, cancels: client.isModern }
    return (await ask(deps, request, reply, asked)).id
  } catch (error) {
    if (error instanceof Invalid) return { result: failedResult(problemsIn(error)) }
    throw error
  }
}

const noState = () => invalidParams('Invalid requestState: it names no question of a task of this tool')

const inputRequired = (questions: Questions, id: TurnId) => ({
  resultType: 'input_required',
  inputRequests: Object.fromEntries([...questions].map(([key, call]) => [key, elicitationFor(call)])),
  requestState: turnText(id),
})

/**
 * Gives a task the answers to its questions, so that it goes on. Asks again for what is missing. Answers that the task has
 * already count again: then the call follows the turn that they began. The state needs no signature, since a caller may
 * answer each of its tasks anyway.
 */
const goOn = async (
  exchange: Exchange,
  agent: AgentInfo,
  state: unknown,
  answers: Answers,
): Promise<TurnId | { result: object }> => {
  const { deps, request, reply } = exchange
  const { tasks, serving } = deps
  const id = typeof state === 'string' ? turnOf(state) : undefined
  const row = id && rowOf(tasks, request.principal, id.taskId)
  if (id === undefined || row?.agent !== agent.name) throw noState()
  const { pause } = answersOf(serving, request, reply)
  const { turnAfter } = await standingOf(tasks, row.id, pause)
  if (![...turnAfter.values()].includes(id.turn)) throw noState()
  readBy(serving, request)(row.id)
  nameTask(reply, { task_id: row.id, session_id: row.session_id })
  watchDelivery(tasks, serving, reply, { taskId: row.id, made: false, cancels: true })
  const { questions } = await taskNow(exchange, row.id)
  const open = await giveAnswers(exchange, row.id, questions, answers)
  return open.size > 0 ? { result: inputRequired(open, id) } : id
}

/** Gives up a task whose question nobody hears. */
const giveUp = async (exchange: Exchange, taskId: string): Promise<object> => {
  await cancel(exchange, taskId, 'disconnected')
  const words =
    'The agent asks its user something, which this client cannot show: it has not declared elicitation'
  if (exchange.client.isModern) throw missingCapability({ elicitation: { form: {} } }, words)
  return failedResult(words)
}

/** Follows a task until there is something to answer. `until`: when it becomes a task for the client. */
const outcomeOf = async (
  exchange: Exchange,
  { taskId, turn: begun }: TurnId,
  answers: Answers,
  { until, isTask }: { until: number; isTask: boolean },
): Promise<object> => {
  const { client } = exchange
  const askedBefore = new Set<string>()
  const asTask = async () => taskResult({ ...(await taskNow(exchange, taskId)), elicits: client.elicits })
  for (let turn = begun; ; ) {
    const end = await followCall(exchange, { taskId, turn }, until)
    if (end === undefined) return asTask()
    if (end.asked === undefined) return isTask ? asTask() : resultOf(taskIn(end.frame))
    turn = end.frame.sequence_number
    // The turn may have ended long ago: then only what has no answer yet is a question.
    const { questions } = await taskNow(exchange, taskId)
    const open = await giveAnswers(exchange, taskId, questions, answers)
    if (open.size === 0) continue
    if (!client.elicits) return Number.isFinite(until) ? asTask() : giveUp(exchange, taskId)
    if (client.isModern) return inputRequired(open, { taskId, turn })
    await askOlderClient(exchange, taskId, open, askedBefore)
  }
}

export const callAgent = async (exchange: Exchange, agent: AgentInfo, args: Arguments): Promise<object> => {
  const { deps, request, client, params, canceled } = exchange
  const support = agent.task_support ?? 'optional'
  if (support === 'required' && client.isModern && !client.hasTasks)
    throw missingCapability({ extensions: { [tasksExtension]: {} } }, 'This tool answers with a task')
  const knowsTasks = client.isModern && client.hasTasks && support !== 'none'
  const until = knowsTasks ? Date.now() + deps.mcp.taskAfterMs : Number.POSITIVE_INFINITY
  const { inputResponses = {}, requestState } = client.isModern ? params : {}
  if (!isRecord(inputResponses)) throw invalidParams('inputResponses must be an object')
  const answers: Answers = new Map(Object.entries(inputResponses))

  const begun =
    requestState === undefined
      ? await begin(exchange, agent, args)
      : await goOn(exchange, agent, requestState, answers)
  if ('result' in begun) return begun.result
  // The client may have canceled the call before its task was stored.
  const giveUpTask = () =>
    void cancel(exchange, begun.taskId, 'disconnected').catch(faultOf(deps.serving, request))
  const listening = addAbortListener(canceled, giveUpTask)
  try {
    return await outcomeOf(exchange, begun, answers, { until, isTask: knowsTasks && support === 'required' })
  } finally {
    listening[Symbol.dispose]()
  }
}
