// Gives a fork its ids: each id of the copied task always gets the same new id. Ids that callers gave stay as they are.
import type { Ids } from '../../contract/ports.ts'
import { taskStream } from '../../contract/task-stream.ts'

/** The ids of a task that a fork replaces in any case. */
export type TaskIds = { task_id: string; session_id: string; agent_id: string }

export type NewIds = {
  task: TaskIds
  /** The new id of an item or a call. The function makes the new id at the first call. */
  of(id: string): string
  /** The new id if there is one, else the id itself. */
  known(id: string): string
  /** The new id of an effect. The id of an effect begins with the id of its task. */
  effect(id: string): string
  /** The new name of a stream of the task, of its environment session or of a subagent that begins anew. */
  stream(name: string): string
  /** Sets the new id for an id of the old task. */
  rename(id: string, now: string): void
}

/** `kept`: ids that callers gave. */
export const newIds = (old: TaskIds, task: TaskIds, kept: ReadonlySet<string>, ids: Ids): NewIds => {
  const renamed = new Map([
    [old.task_id, task.task_id],
    [old.agent_id, task.agent_id],
    [taskStream(old.task_id), taskStream(task.task_id)],
  ])
  const known = (id: string): string => renamed.get(id) ?? id
  return {
    task,
    known,
    of(id) {
      if (kept.has(id)) return id
      const now = renamed.get(id) ?? ids.next(/^[a-z]+_/.exec(id)?.[0] ?? 'id_')
      renamed.set(id, now)
      return now
    },
    effect: id => (id.startsWith(`${old.task_id}/`) ? task.task_id + id.slice(old.task_id.length) : id),
    stream: known,
    rename: (id, now) => void renamed.set(id, now),
  }
}
