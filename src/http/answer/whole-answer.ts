// Makes an answer as text, to be written directly to the socket of a request that failed before it had a response object.
import { STATUS_CODES } from 'node:http'
import type { Refusal } from '../../contract/refusals.ts'
import { answerOf, type Place } from './errors.ts'
import { everyAnswerLines } from './head.ts'

/** The caller closes the connection after this answer. */
export const wholeAnswer = (refusal: Refusal, place: Place): string => {
  const { status, headers, body } = answerOf(refusal, { ...place, envelopeId: undefined })
  const text = JSON.stringify(body)
  const { connection: _, ...own } = headers
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json',
    ...everyAnswerLines,
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
    ...Object.entries(own).map(([name, value]) => `${name}: ${value}`),
  ]
  return `${head.join('\r\n')}\r\n\r\n${text}`
}
