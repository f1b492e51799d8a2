// The lifecycle of an environment session as a statechart. Only this file defines the moves. The events of the chart
// are the events of the log. A closed session that is created again gets a new instance. If a user creates a deleted
// session again, the session begins anew.
import { type Chart, type Places, tableOf } from './chart.ts'

export const sessionChart = {
  id: 'env-session',
  initial: 'absent',
  states: {
    absent: { on: { EnvSessionCreated: 'active' } },
    active: {
      on: {
        EnvStepIntended: 'active',
        EnvStepCompleted: 'active',
        EnvSessionReset: 'active',
        EnvSessionClosed: 'closed',
      },
    },
    closed: { on: { EnvSessionCreated: 'active', EnvSessionDeleted: 'deleted' } },
    deleted: { on: { EnvSessionCreated: 'active' } },
  },
} as const satisfies Chart

export type SessionState = Places<typeof sessionChart>

const table = tableOf(sessionChart)

/** The events that may follow in a state. */
export const sessionMovesFrom = (state: SessionState): string[] => [...(table.get(state)?.keys() ?? [])]

/** The state after an event; undefined when the chart has no such move. */
export const sessionMoveOf = (state: SessionState, type: string): SessionState | undefined =>
  table.get(state)?.get(type)?.[0]?.to as SessionState | undefined

/** The state after an event. Throws when the chart has no such move. */
export const sessionStateAfter = (state: SessionState, type: string): SessionState => {
  const next = sessionMoveOf(state, type)
  if (next === undefined) throw new Error(`the event ${type} is not allowed in the state ${state}`)
  return next
}
