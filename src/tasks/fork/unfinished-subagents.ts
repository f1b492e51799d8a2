// Makes new tasks for the subagents that work when the past of a fork ends. Their work counts as not begun, so each new
// task has the request of the old one.
import { type At, firstEvents, pausedFor } from '../../../actors/task/decide/events.ts'
import type { StartContext } from '../../contract/commands/commands.ts'
import { taskEvents } from '../../contract/decoders/task.ts'
import type { TaskEvent, TaskEventData } from '../../contract/events/task-events.ts'
import type { Ids } from '../../contract/ports.ts'
import { taskStream } from '../../contract/task-stream.ts'
import type { ReadStream } from '../../history/context.ts'
import { type Copying, copyOfContext } from '../../history/fork/copy-task.ts'
import type { NewIds } from '../../history/fork/new-ids.ts'
import { openCalls } from '../../history/task/calls.ts'
import { forkedReason } from '../../history/task-object.ts'
import type { DecidedTask } from '../../history/task-view.ts'

type Created = TaskEventData<'TaskCreated'>
type Child = { created: Created; seen: StartContext }

const readChild = async (read: ReadStream, taskId: string): Promise<Child> => {
  let created: Created | undefined
  for await (const page of read(taskStream(taskId))) {
    for (const event of page.map(taskEvents.read)) {
      if (event.type === 'TaskCreated') created = event.data
      if (event.type === 'TaskStarted' && created !== undefined) return { created, seen: event.data }
    }
  }
  throw new Error(`the task ${taskId} of a subagent has not begun`)
}

/** The tasks of the open calls of a task. Each gets new ids, which the copies of the past then name. */
export const unfinishedChildren = async (
  read: ReadStream,
  view: DecidedTask,
  newIds: NewIds,
  ids: Ids,
): Promise<Child[]> => {
  const names = openCalls(view).flatMap(({ effect }) => effect.child ?? [])
  const children = await Promise.all(names.map(name => readChild(read, name)))
  for (const { created } of children) {
    const task = ids.next('task_')
    newIds.rename(created.task_id, task)
    newIds.rename(taskStream(created.task_id), taskStream(task))
    newIds.rename(created.agent_id, ids.next('agent_'))
  }
  return children
}

/** The first append of a subagent's task. The task is paused if the calling task does not work. */
export const newChild = (
  { created, seen }: Child,
  copying: Copying,
  isWorking: boolean,
  at: At,
): { created: Created; events: TaskEvent[] } => {
  const { ids, created: parent } = copying
  const { secret_ref: _, expires_at: __, ...rest } = created
  const child: Created = {
    ...rest,
    task_id: ids.known(created.task_id),
    agent_id: ids.known(created.agent_id),
    session_id: parent.session_id,
    workdir: parent.workdir,
    request_id: parent.request_id,
    input_ids: created.input_ids.map(ids.of),
    ...(parent.secret_ref === undefined ? {} : { secret_ref: parent.secret_ref }),
    parent_task_id: parent.task_id,
    parent_agent_id: parent.agent_id,
    root_task_id: parent.task_id,
    depth: 1,
  }
  const events = firstEvents(child, true, copyOfContext(seen, copying), at)
  return { created: child, events: isWorking ? events : [...events, pausedFor(forkedReason, at)] }
}
