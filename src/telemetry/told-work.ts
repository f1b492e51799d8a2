// LOG_LEVEL=info: a line where a task or an environment session starts, ends or fails. The texts of errors may quote what a
// user, a model or a tool has said, so no line holds one: a task or a session shows its own.
import { type EnvSessionEventData, sessionIdOf } from '../contract/env-session-events.ts'
import type { Report } from '../contract/ports.ts'
import type { Recorded } from '../contract/stored.ts'
import type { TaskEventData } from '../contract/task-events.ts'
import { taskIdOf } from '../contract/task-stream.ts'

/** Why we end sessions; any other reason is that of a loss, and may quote what the environment has said. */
const ownReasons = new Set(['closed', 'deleted', 'inactive'])

export const tellWork = (report: Report) => {
  /** When tasks that work have begun, by stream; one that began before this process has no duration. */
  const begun = new Map<string, number>()

  const taskLine = ({ header, data }: Recorded, status: string) => {
    const since = begun.get(header.stream)
    begun.delete(header.stream)
    const ms = since === undefined ? {} : { ms: Date.parse(header.time) - since }
    const task = { task_id: taskIdOf(header.stream), user_id: header.owner, status, ...ms }
    if (status !== 'failed') return report('info', 'task ended', task)
    const { code } = (data as TaskEventData<'TaskFailed'>).error
    report('info', 'task failed', { ...task, code })
  }

  const tell: Record<string, (event: Recorded) => void> = {
    TaskStarted({ header }) {
      begun.set(header.stream, Date.parse(header.time))
      report('info', 'task started', { task_id: taskIdOf(header.stream), user_id: header.owner })
    },
    TaskCompleted: event => taskLine(event, 'completed'),
    TaskFailed: event => taskLine(event, 'failed'),
    TaskCanceled: event => taskLine(event, 'canceled'),
    TaskExpired: event => taskLine(event, 'expired'),
    EnvSessionCreated({ header, data }) {
      const kind = (data as EnvSessionEventData<'EnvSessionCreated'>).source.name
      const session = { session_id: sessionIdOf(header.stream), user_id: header.owner, kind }
      report('info', 'environment session started', session)
    },
    EnvSessionClosed({ header, data }) {
      const { reason } = data as EnvSessionEventData<'EnvSessionClosed'>
      const session = { session_id: sessionIdOf(header.stream), user_id: header.owner }
      if (ownReasons.has(reason)) report('info', 'environment session ended', { ...session, reason })
      else report('info', 'environment session lost', session)
    },
  }
  return (events: readonly Recorded[]): void => {
    for (const event of events) tell[event.header.type]?.(event)
  }
}
