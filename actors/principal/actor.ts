// A principal as an actor: its token is made and revoked. It has no effects, and leaves memory soon.

import {
  type PrincipalState,
  principalChart,
  principalMoveOf,
} from '../../src/contract/charts/principal-chart.ts'
import { type PrincipalEvent, principalEvents } from '../../src/contract/decoders/principal.ts'
import {
  type AdminTokenMade,
  principalIdOf,
  type TokenCreated,
  type TokenRevoked,
} from '../../src/contract/events/token-events.ts'
import { Refusal } from '../../src/contract/refusals.ts'
import type { Decision, Kind } from '../runtime/kind.ts'
import type { Folded } from '../runtime/logic.ts'
import { mustFollow } from '../runtime/must-follow.ts'

export type PrincipalCommand = { principal: string; causation: string } & (
  | { type: 'CreateToken'; data: TokenCreated }
  /** The server has made a token for the principal `admin`. */
  | { type: 'MakeAdminToken'; data: AdminTokenMade }
  | { type: 'RevokeToken'; data: TokenRevoked }
)
/** `owner`: the user of the token; empty when the token acts for all users. */
export type PrincipalView = { state: PrincipalState; owner: string }

export const foldedPrincipal: Folded<PrincipalView> = {
  chart: principalChart,
  empty: () => ({ state: 'absent', owner: '' }),
  evolve(view, stored) {
    const event = principalEvents.read(stored)
    view.state = principalMoveOf(view.state, event.type) ?? view.state
    view.owner = event.header.owner
  },
  placeOf: view => view.state,
}

const decide = (view: PrincipalView, command: PrincipalCommand): PrincipalEvent[] => {
  switch (command.type) {
    case 'CreateToken':
      return [{ type: 'TokenCreated', data: command.data }]
    case 'MakeAdminToken':
      return [{ type: 'AdminTokenMade', data: command.data }]
    case 'RevokeToken':
      // Another request may have revoked the token at the same time.
      if (view.state !== 'valid') throw new Refusal('TokenNotFound')
      return [{ type: 'TokenRevoked', data: command.data }]
  }
}

export const principalKind: Kind<PrincipalView, PrincipalCommand, undefined> = {
  ...foldedPrincipal,
  decide(view, command): Decision {
    const events = decide(view, command)
    mustFollow(view.state, events, principalMoveOf)
    return { events: events.map(event => ({ ...event, schema_version: 1 })), made: [] }
  },
  envelope(view, command, stream) {
    const owner = command.type === 'CreateToken' ? (command.data.user_id ?? '') : view.owner
    const { principal, causation } = command
    return {
      principal,
      owner,
      session_id: '',
      correlation_id: principalIdOf(stream),
      causation_id: causation,
    }
  },
  effects: () => ({
    at: () => undefined,
    reconcile() {},
    rest: () => 'ended',
    stop() {},
  }),
}
