// Headers that every answer has, whichever way it leaves: as an HTTP answer, on a bare socket, with the handshake of a
// WebSocket. The documents name them from here, too, and browsers may read them.
import { apiVersion } from './responses.ts'

/** By name: the value, and what it says. */
export const everyAnswer = {
  'X-API-Version': { value: apiVersion, about: 'The version of the interface.' },
} satisfies Record<string, { value: string; about: string }>
