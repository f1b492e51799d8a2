// The extension for calls that become tasks: tasks/get, tasks/update and tasks/cancel. They work with each task that the
// caller may see, through whichever door it has come.
import { readBy } from '../../http/request/request.ts'
import { rowOf } from '../answers.ts'
import { cancel } from './cancel.ts'
import { tasksExtension } from './error-form.ts'
import { invalidParams, missingCapability } from './errors.ts'
import { type Exchange, isRecord } from './exchange.ts'
import { giveAnswers } from './give-answers.ts'
import { taskNow } from './task-now.ts'
import { detailsOf } from './task-object.ts'

/** The task that a request names. Throws if there is none for this caller. */
const named = ({ deps: { tasks, serving }, request, client, params: { taskId } }: Exchange): string => {
  if (!client.hasTasks)
    throw missingCapability(
      { extensions: { [tasksExtension]: {} } },
      `Declare the extension ${tasksExtension}`,
    )
  const row = typeof taskId === 'string' ? rowOf(tasks, request.principal, taskId) : undefined
  if (row === undefined) throw invalidParams('There is no task with this taskId')
  readBy(serving, request)(row.id)
  return row.id
}

export const getTask = async (exchange: Exchange): Promise<object> =>
  detailsOf({ ...(await taskNow(exchange, named(exchange))), elicits: exchange.client.elicits })

/** Keys that name no open question are ignored: the task may have got its answer from somebody else. */
export const updateTask = async (exchange: Exchange): Promise<object> => {
  const { inputResponses } = exchange.params
  const taskId = named(exchange)
  if (!isRecord(inputResponses)) throw invalidParams('inputResponses must be an object')
  const { questions } = await taskNow(exchange, taskId)
  await giveAnswers(exchange, taskId, questions, new Map(Object.entries(inputResponses)))
  return {}
}

export const cancelTask = async (exchange: Exchange): Promise<object> => {
  await cancel(exchange, named(exchange))
  return {}
}
