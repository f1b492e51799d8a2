// What the server says, as text: JSON that is put together from JSON where it can be.
import type { CloseReason } from '../../contract/socket.ts'
import { joined, type Text } from '../../platform/pieces.ts'
import { errorObjectOf } from '../errors.ts'

export const closeWords: Record<CloseReason, string> = {
  goingDown: 'the server goes down',
  tryLater: 'try again later',
  unauthenticated: 'a valid token is required',
  forbidden: 'not allowed',
  slow: 'the reader is too slow',
}

/** The id of the request, as a field that others follow. */
const echo = (requestId: string | undefined): string =>
  requestId === undefined ? '' : `,"request_id":${JSON.stringify(requestId)}`

/** A message of this type; `fields` is the inside of a JSON object. */
export const saying = (type: string, requestId: string | undefined, fields: object = {}): string => {
  const inside = JSON.stringify(fields).slice(1, -1)
  return `{"type":"${type}"${echo(requestId)}${inside === '' ? '' : `,${inside}`}}`
}

/** `data` is JSON. */
export const resultText = (requestId: string | undefined, data: Text, replayed: boolean): Text =>
  joined(`{"type":"result"${echo(requestId)},"data":`, data, replayed ? ',"replayed":true}' : '}')

/** What an error looks like, and whether it is a fault of ours. */
export const errorText = (error: unknown, requestId: string | undefined) => {
  const { object, fault } = errorObjectOf(error)
  return { text: saying('error', requestId, { error: object }), fault }
}
