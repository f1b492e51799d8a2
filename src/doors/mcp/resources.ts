// Transcripts of tasks as resources: task://<id>.
import { inputsOf } from '../../history/context.ts'
import { answersOf, readBy } from '../../http/request/request.ts'
import { rowOf } from '../answers.ts'
import { invalidParams, noResource } from './errors.ts'
import type { Exchange } from './exchange.ts'
import { taskNow } from './task-now.ts'

const scheme = 'task://'
const mimeType = 'application/json'
const uriOf = (taskId: string): string => `${scheme}${encodeURIComponent(taskId)}`

/** How many tasks a page of the list has. */
const pageSize = 50

const isDecodable = (text: string): boolean => {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

export const listResources = async (exchange: Exchange): Promise<object> => {
  const { deps, request, reply, params } = exchange
  const { tasks, serving } = deps
  const { cursor } = params
  const { pause } = answersOf(serving, request, reply)
  const query = {
    startingAfter: typeof cursor === 'string' ? cursor : undefined,
    endingBefore: undefined,
    limit: pageSize,
    order: 'desc' as const,
    isSummary: true,
    statuses: [],
    userId: undefined,
    sessionId: undefined,
    includeSubtasks: false,
  }
  const page = await tasks.queries.list(query, request.principal.userId, pause)
  if ('unknownCursor' in page) throw invalidParams('There is no page with this cursor')
  const shows = readBy(serving, request)
  const resources = page.tasks.map(({ id }) => {
    shows(id)
    const { agent, status } = tasks.queries.visible(request.principal, id)
    return { uri: uriOf(id), name: id, description: `A task of the agent ${agent}: ${status}`, mimeType }
  })
  const last = page.tasks.at(-1)
  return { resources, ...(page.more && last !== undefined ? { nextCursor: last.id } : {}) }
}

export const listTemplates = (): object => ({
  resourceTemplates: [
    {
      uriTemplate: `${scheme}{task_id}`,
      name: 'task',
      title: 'Transcript of a task',
      description: 'What the task was asked, what its agent thought, did and said, and how it stands.',
      mimeType,
    },
  ],
})

export const readResource = async (exchange: Exchange): Promise<object> => {
  const { deps, request, params } = exchange
  const { tasks, serving } = deps
  const uri = String(params.uri)
  const taskId =
    uri.startsWith(scheme) && isDecodable(uri) ? decodeURIComponent(uri.slice(scheme.length)) : ''
  const row = taskId === '' ? undefined : rowOf(tasks, request.principal, taskId)
  if (row === undefined) throw noResource(uri)
  readBy(serving, request)(row.id)
  const { task } = await taskNow(exchange, row.id)
  const created = await tasks.createdOf(tasks.streamOf(row.id))
  return { contents: [{ uri, mimeType, text: JSON.stringify({ ...task, input: inputsOf(created) }) }] }
}
