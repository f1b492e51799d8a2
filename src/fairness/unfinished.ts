// Counts the unfinished tasks and active sessions of each user. The counts are filled once from the read models, then
// updated with each commit.
import { type RecordedSessionEvent, sessionEvents } from '../contract/decoders/env-session.ts'
import { type RecordedTaskEvent, taskEvents } from '../contract/decoders/task.ts'
import { sessionIdOf } from '../contract/env-session-events.ts'
import type { Recorded } from '../contract/stored.ts'
import { taskEnds } from '../contract/task-state.ts'
import { taskIdOf } from '../contract/task-stream.ts'
import { createHoldings } from './holdings.ts'

type Row = { id: string; user_id: string }
const usersOf = (rows: Iterable<Row>) => [...rows].map(({ id, user_id }) => ({ id, user: user_id }))

export const createUnfinished = () => {
  const [tasks, sessions] = [createHoldings(), createHoldings()]

  const followTask = ({ type, header, data }: RecordedTaskEvent): void => {
    if (type === 'TaskCreated') tasks.store(data.task_id, data.user_id)
    else if (taskEnds.has(type)) tasks.remove(taskIdOf(header.stream))
  }
  const followSession = ({ type, header, data }: RecordedSessionEvent): void => {
    const id = sessionIdOf(header.stream)
    if (type === 'EnvSessionCreated') sessions.store(id, data.user_id)
    else if (type === 'EnvSessionClosed' || type === 'EnvSessionDeleted') sessions.remove(id)
  }

  return {
    tasks,
    sessions,
    /** Updates the counts by the events of a commit. */
    follow(events: readonly Recorded[]): void {
      for (const stored of events) {
        const task = taskEvents.find(stored)
        if (task !== undefined) followTask(task)
        const session = sessionEvents.find(stored)
        if (session !== undefined) followSession(session)
      }
    },
    /** Replaces the counts with those of the read models. */
    fill(unfinished: Iterable<Row>, active: Iterable<Row>): void {
      tasks.fill(usersOf(unfinished))
      sessions.fill(usersOf(active))
    },
  }
}
