// What can be done about a task that failed: the request that created it, to send it again, and the frame from which a
// fork repeats only what failed.
import type { Header } from '../../src/contract/stored.ts'
import type { CreateTaskBody } from '../../src/contract/wire.ts'
import type { ShownTask } from '../../src/history/task-view.ts'
import type { Event } from './past.ts'

/** After these events, everything that began has ended. */
const restingPoints = new Set([
  'TaskStarted',
  'TaskResumed',
  'AgentStepCompleted',
  'EffectCompleted',
  'InputAccepted',
  'InputAnswered',
])

/** Events of one append follow each other, at one time, by one principal and for one cause. A fork copies all of them. */
const isSameAppend = (one: Header, next: Header | undefined): boolean =>
  one.time === next?.time && one.principal === next.principal && one.causation_id === next.causation_id

/** The newest frame of the task before the step that failed; undefined when there is none at which a fork could begin. */
export const frameBeforeFailure = (events: readonly Event[]): number | undefined => {
  const failed = events.findLastIndex(({ type }) => type === 'TaskFailed')
  let isBefore = false
  /** Whether the events from here to the failure are of one append. */
  let isFailing = true
  for (let n = failed - 1; n >= 0; n--) {
    const { type, header } = events[n] as Event
    isFailing &&= isSameAppend(header, events[n + 1]?.header)
    isBefore ||= restingPoints.has(type)
    const { seq = 0, frames = 0 } = header
    if (isBefore && !isFailing && frames > 0) return seq + frames - 1
  }
  return undefined
}

type Created = NonNullable<ShownTask['created']>

/** Whether a request had secret values. The log has only their names, so the request cannot be sent again from here. */
export const hadSecrets = ({ env, webhook, agent_config }: CreateTaskBody): boolean =>
  Object.keys(env ?? {}).length > 0 ||
  typeof webhook?.secret === 'string' ||
  JSON.stringify(agent_config?.tool_mcp_config ?? null).includes('"***"')

/** The body of a create that asks for the same again, for the same user in the same session. */
export const sameRequest = ({ request, user_id, session_id }: Created): CreateTaskBody => {
  const { task_id: _, request_id: __, ...same } = request
  return { ...same, user_id, session_id, stream: false, background: true }
}
