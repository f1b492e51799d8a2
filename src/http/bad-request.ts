// Makes answers as text, to be written directly to the socket of a request that failed before it had a response object.
import { refusals } from '../contract/refusals.ts'
import { everyAnswerLines } from './head.ts'

/** `message` is ASCII. The caller closes the connection after this answer. */
export const badRequest = (message: string, ...headers: string[]): string =>
  answer('400 Bad Request', message, ...headers)

/** The answer to a request whose head or body did not arrive in time. */
export const requestTimeout = (message: string): string => answer('408 Request Timeout', message)

const answer = (status: string, message: string, ...headers: string[]): string => {
  const body = JSON.stringify({ code: refusals.BodyTooSlow.code, message })
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json',
    ...everyAnswerLines,
    `Content-Length: ${body.length}`,
    'Connection: close',
    ...headers,
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}
