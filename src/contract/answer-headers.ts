// The headers that every answer has: an HTTP answer, an answer on a bare socket, and the handshake of a WebSocket. The
// documents take their list of headers from here, and CORS lets browsers read these headers.
import { apiVersion } from './responses.ts'

/** By name: the value of the header, and its description for the documents. */
export const everyAnswer = {
  'X-API-Version': { value: apiVersion, about: 'The version of the interface.' },
} satisfies Record<string, { value: string; about: string }>
