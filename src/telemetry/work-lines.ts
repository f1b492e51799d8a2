// Writes the lines of LOG_LEVEL=info: one when a task or an environment session starts, ends or fails. An error text
// may quote a user, a model or a tool, so no line contains it. The task or the session itself shows its error.
import { type RecordedSessionEvent, sessionEvents } from '../contract/decoders/env-session.ts'
import { type RecordedTaskEvent, taskEvents } from '../contract/decoders/task.ts'
import { sessionIdOf } from '../contract/events/env-session-events.ts'
import type { Report } from '../contract/ports.ts'
import type { Recorded } from '../contract/stored.ts'
import { taskIdOf } from '../contract/task-stream.ts'

/**
 * The reasons for which the server ends sessions. Any other reason describes a loss and may quote the environment, so
 * no line contains it.
 */
const ownReasons = new Set(['closed', 'deleted', 'inactive'])

export const workLines = (report: Report) => {
  /**
   * When each working task began, by its stream. For a task that began before this process started, the line of its end
   * has no duration.
   */
  const begun = new Map<string, number>()

  const taskLine = ({ type, header, data }: RecordedTaskEvent, status: string) => {
    const since = begun.get(header.stream)
    begun.delete(header.stream)
    const ms = since === undefined ? {} : { ms: Date.parse(header.time) - since }
    const task = { task_id: taskIdOf(header.stream), user_id: header.owner, status, ...ms }
    if (type === 'TaskFailed') report('info', 'task failed', { ...task, code: data.error.code })
    else report('info', 'task ended', task)
  }

  const ofTask = (event: RecordedTaskEvent) => {
    const { stream, time, owner } = event.header
    switch (event.type) {
      case 'TaskStarted':
        begun.set(stream, Date.parse(time))
        return report('info', 'task started', { task_id: taskIdOf(stream), user_id: owner })
      case 'TaskCompleted':
        return taskLine(event, 'completed')
      case 'TaskFailed':
        return taskLine(event, 'failed')
      case 'TaskCanceled':
        return taskLine(event, 'canceled')
      case 'TaskExpired':
        return taskLine(event, 'expired')
    }
  }
  const ofSession = ({ type, header, data }: RecordedSessionEvent) => {
    const session = { session_id: sessionIdOf(header.stream), user_id: header.owner }
    if (type === 'EnvSessionCreated') {
      report('info', 'environment session started', { ...session, kind: data.source.name })
    }
    if (type !== 'EnvSessionClosed') return
    const { reason } = data
    if (ownReasons.has(reason)) report('info', 'environment session ended', { ...session, reason })
    else report('info', 'environment session lost', session)
  }
  return (events: readonly Recorded[]): void => {
    for (const stored of events) {
      if (stored.header.copy_of !== undefined) continue // the past of a fork is no new work
      const event = taskEvents.find(stored)
      if (event !== undefined) ofTask(event)
      const sessionEvent = sessionEvents.find(stored)
      if (sessionEvent !== undefined) ofSession(sessionEvent)
    }
  }
}
