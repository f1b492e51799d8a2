// LOG_LEVEL=info: a line where a task or an environment session starts, ends or fails. What users wrote is in no line.
import { type EnvSessionEventData, sessionIdOf } from './contract/env-session-events.ts'
import type { Report } from './contract/ports.ts'
import type { Recorded } from './contract/stored.ts'
import type { TaskEventData } from './contract/task-events.ts'
import { taskIdOf } from './contract/task-stream.ts'

/** A reason may quote what a model or a tool has said: as much as tells an operator what it is. */
const longestReason = 200

export const tellWork = (report: Report) => {
  /** When tasks that work have begun, by stream; one that began before this process has no duration. */
  const begun = new Map<string, number>()

  const taskLine = ({ header, data }: Recorded, status: string) => {
    const since = begun.get(header.stream)
    begun.delete(header.stream)
    const ms = since === undefined ? {} : { ms: Date.parse(header.time) - since }
    const task = { task_id: taskIdOf(header.stream), user_id: header.owner, status, ...ms }
    if (status !== 'failed') return report('info', 'task ended', task)
    const { code, message } = (data as TaskEventData<'TaskFailed'>).error
    report('info', 'task failed', { ...task, code, error: message.slice(0, longestReason) })
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
      const env_id = (data as EnvSessionEventData<'EnvSessionCreated'>).env_id
      const session = { session_id: sessionIdOf(header.stream), user_id: header.owner, env_id }
      report('info', 'environment session started', session)
    },
    EnvSessionClosed({ header, data }) {
      const { reason } = data as EnvSessionEventData<'EnvSessionClosed'>
      const session = { session_id: sessionIdOf(header.stream), user_id: header.owner }
      report('info', 'environment session ended', { ...session, reason: reason.slice(0, longestReason) })
    },
  }
  return (events: readonly Recorded[]): void => {
    for (const event of events) tell[event.header.type]?.(event)
  }
}
