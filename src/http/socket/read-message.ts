// Reads a message from its bytes. `type` is accepted in upper and lower case. The fields are at the top level or in
// `data`.

import { isExact } from '../../contract/json/exact-number.ts'
import { Invalid, Refusal } from '../../contract/refusals.ts'
import {
  type ClientFields,
  type ClientMessageType,
  clientMessages,
  clientMessageTypes,
} from '../../contract/socket.ts'
import { parseJson } from '../body/json.ts'
import { bodyValidator } from '../request/validate.ts'
import type { Message } from './inbox.ts'

/** A message whose fields are not checked yet. `fields` is undefined if `data` is given and is not an object. */
export type Unread = { type: string; requestId: string | undefined; fields: unknown }
export type Said = {
  [T in ClientMessageType]: { type: T; requestId: string | undefined; fields: ClientFields<T> }
}[ClientMessageType]

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isExact(value)
const invalid = (loc: string[], type: string, msg: string) =>
  new Invalid([{ loc: ['body', ...loc], type, msg }])
const noDictionary = (...loc: string[]) => invalid(loc, 'dict_type', 'Input should be a valid dictionary')

/** Reads the parts of a message. Throws Invalid if the bytes are not a message. */
export const openMessage = ({ bytes, isBinary }: Message): Unread => {
  if (isBinary) throw invalid([], 'json_invalid', 'JSON decode error: a message is text, not binary')
  const given = parseJson(bytes)
  if (!isObject(given)) throw noDictionary()
  const { type, data, ...top } = given
  const fields = data === undefined || data === null ? top : isObject(data) ? { ...data, ...top } : undefined
  const id = (fields ?? top).request_id
  // A request id that is a number is kept as text, so that the error can name it. The message is refused later.
  const text = typeof id === 'number' ? String(id) : isExact(id) ? id.rawJSON : id
  const requestId = typeof text === 'string' && text.length <= 256 ? text : undefined
  return { type: typeof type === 'string' ? type.toLowerCase() : '', requestId, fields }
}

const isKnown = (type: string): type is ClientMessageType => Object.hasOwn(clientMessages, type)

/** Makes the function that checks the fields of a message. It throws Refusal or Invalid. */
export const createMessageReader = () => {
  const validators = new Map(clientMessageTypes.map(type => [type, bodyValidator(clientMessages[type])]))
  return ({ type, requestId, fields }: Unread): Said => {
    if (fields === undefined) throw noDictionary('data')
    if (type === '') throw invalid(['type'], 'missing', 'Field required')
    if (!isKnown(type)) {
      throw new Refusal('RouteNotFound', { types: clientMessageTypes }, 'there is no message of this type', {
        hint: 'Send one of the types that `data.types` lists.',
      })
    }
    return { type, requestId, fields: validators.get(type)?.(fields) } as Said
  }
}
