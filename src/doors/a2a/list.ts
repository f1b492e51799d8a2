// Lists the tasks of an agent that a caller may see.
import type { A2ATask } from '../../contract/a2a/objects.ts'
import type { ListTasksRequest } from '../../contract/a2a/requests.ts'
import { type Call, pauseOf, tellTask } from './call.ts'
import { wrongParameter } from './errors.ts'
import { statusesOf } from './status.ts'

/** The most tasks that are read for one page, when the times of their statuses must be compared. */
const readAtMost = 500

const timeOf = (text: string | undefined): number | undefined => {
  if (!text) return undefined
  const time = Date.parse(text)
  if (Number.isNaN(time))
    throw wrongParameter(['statusTimestampAfter'], 'Input should be a time as in ISO 8601')
  return time
}

export const listTasks = async (call: Call, asked: ListTasksRequest): Promise<object> => {
  const { deps, request, agent } = call
  const { queries } = deps.tasks
  const { pageSize = 50, historyLength = 0, includeArtifacts: withArtifacts = false } = asked
  const { userId } = request.principal
  const after = timeOf(asked.statusTimestampAfter)
  const pause = pauseOf(call)
  const state = asked.status === 'TASK_STATE_UNSPECIFIED' ? undefined : asked.status
  const statuses = state === undefined ? [] : statusesOf(state)
  const filter = {
    userId: undefined,
    sessionId: asked.contextId || undefined,
    agent,
    statuses,
    includeSubtasks: false,
  }
  const tasks: A2ATask[] = []
  if (state !== undefined && statuses.length === 0)
    return { tasks, nextPageToken: '', pageSize, totalSize: 0 }

  let cursor = asked.pageToken || undefined
  let more = true
  for (let read = 0; more && tasks.length < pageSize && read < readAtMost; ) {
    const query = {
      ...filter,
      startingAfter: cursor,
      endingBefore: undefined,
      limit: pageSize - tasks.length,
      order: 'desc' as const,
      isSummary: true,
    }
    const page = await queries.list(query, userId, pause)
    if ('unknownCursor' in page)
      throw wrongParameter(['pageToken'], 'Give the nextPageToken of a page, unchanged')
    more = page.more
    for (const { id } of page.tasks) {
      read++
      cursor = id
      const { teller } = await tellTask(call, id, pause)
      const time = Date.parse(teller.status().timestamp ?? '')
      if (after === undefined || time > after) tasks.push(teller.task({ historyLength, withArtifacts }))
      await pause()
    }
  }
  const { total } = await queries.countTasks(filter, userId, pause)
  return { tasks, nextPageToken: more && cursor !== undefined ? cursor : '', pageSize, totalSize: total }
}
