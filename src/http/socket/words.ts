// Makes the JSON text of the server's messages on a WebSocket. Parts that are JSON text already are inserted unchanged.
import type { CloseReason } from '../../contract/socket.ts'
import { joined, type Text } from '../../platform/pieces.ts'
import { errorObjectOf, type Place } from '../answer/errors.ts'

export const closeWords: Record<CloseReason, string> = {
  goingDown: 'the server goes down',
  tryLater: 'try again later',
  unauthenticated: 'a valid token is required',
  forbidden: 'not allowed',
  slow: 'the reader is too slow',
}

/** The id of the request as a field of a message, with a comma before it. */
const echo = (requestId: string | undefined): string =>
  requestId === undefined ? '' : `,"request_id":${JSON.stringify(requestId)}`

/** A message of this type with these fields. */
export const saying = (type: string, requestId: string | undefined, fields: object = {}): string => {
  const inside = JSON.stringify(fields).slice(1, -1)
  return `{"type":"${type}"${echo(requestId)}${inside === '' ? '' : `,${inside}`}}`
}

/** The message `result`. `data` is JSON text. */
export const resultText = (requestId: string | undefined, data: Text, replayed: boolean): Text =>
  joined(`{"type":"result"${echo(requestId)},"data":`, data, replayed ? ',"replayed":true}' : '}')

/** The message for an error. */
export const errorText = (error: unknown, requestId: string | undefined, place: Place): string =>
  saying('error', requestId, { error: errorObjectOf(error, place) })
