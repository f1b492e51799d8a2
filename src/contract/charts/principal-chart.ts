// The lifecycle of a principal as a statechart: its token is valid, and then revoked. A token that expires needs no event.
// Each start may make another token for the principal `admin`.
import { type Chart, type Places, tableOf } from './chart.ts'

export const principalChart = {
  id: 'principal',
  initial: 'absent',
  states: {
    absent: { on: { TokenCreated: 'valid', AdminTokenMade: 'valid' } },
    valid: { on: { AdminTokenMade: 'valid', TokenRevoked: 'revoked' } },
    revoked: {},
  },
} as const satisfies Chart

export type PrincipalState = Places<typeof principalChart>

const table = tableOf(principalChart)

/** The state after an event; undefined when the chart has no such move. */
export const principalMoveOf = (state: PrincipalState, type: string): PrincipalState | undefined =>
  table.get(state)?.get(type)?.[0]?.to as PrincipalState | undefined
