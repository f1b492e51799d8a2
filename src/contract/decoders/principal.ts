// The events of a principal, read from its stream.
import {
  type AdminTokenMade,
  isPrincipalStream,
  type TokenCreated,
  type TokenRevoked,
} from '../events/token-events.ts'
import { decoderOf } from './decoder.ts'

type PrincipalEvents = {
  TokenCreated: TokenCreated
  TokenRevoked: TokenRevoked
  AdminTokenMade: AdminTokenMade
}
export type PrincipalEvent = {
  [Type in keyof PrincipalEvents]: { type: Type; data: PrincipalEvents[Type] }
}[keyof PrincipalEvents]

export const principalEvents = decoderOf<PrincipalEvent>('principal', isPrincipalStream, [
  'TokenCreated',
  'TokenRevoked',
  'AdminTokenMade',
])
