// An answer on a bare socket, where a request came to nothing before there was a response to give it with.
import { apiVersion } from '../contract/answers.ts'

/** `message` is ASCII. The connection is to end after it. */
export const badRequest = (message: string, ...headers: string[]): string => {
  const body = JSON.stringify({ code: -32600, message })
  const head = [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: application/json',
    `X-API-Version: ${apiVersion}`,
    `Content-Length: ${body.length}`,
    'Connection: close',
    ...headers,
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}
