// Sends an answer: with pauses between its pieces, with the end that the script wants, no faster than the client reads.
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from './answer.ts'

/** Ends the answer in the normal way, breaks the connection, or leaves the answer open. */
const end = (response: ServerResponse, { cut, hang }: Answer): void => {
  if (hang) return
  if (cut) response.socket?.destroySoon()
  else response.end()
}

export const sendError = (
  response: ServerResponse,
  { status, message = `the script says ${status}`, headers = {}, body }: NonNullable<Answer['error']>,
): void => {
  const type = body === undefined ? 'application/json' : body.startsWith('<') ? 'text/html' : 'text/plain'
  response.statusCode = status
  response.setHeader('content-type', type)
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  response.end(body ?? JSON.stringify({ error: { message } }))
}

export const sendJson = (response: ServerResponse, value: unknown, answer: Answer = {}): void => {
  const text = JSON.stringify(value)
  const broken = answer.cut || answer.hang
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write(broken ? text.slice(0, text.length / 2) : text)
  end(response, answer)
}

/**
 * Sends chunks as a stream. A chunk is an object, or a text that is sent unchanged. Rejects when `signal` aborts
 * because the client has gone.
 */
export const sendStream = async (
  response: ServerResponse,
  chunks: Iterable<unknown>,
  answer: Answer,
  signal: AbortSignal,
): Promise<void> => {
  const write = async (data: string) => {
    if (!response.write(`data: ${data}\n\n`)) await once(response, 'drain', { signal })
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  response.flushHeaders()
  for (const chunk of chunks) {
    await write(typeof chunk === 'string' ? chunk : JSON.stringify(chunk))
    if (answer.token_ms) await sleep(answer.token_ms, undefined, { signal })
  }
  if (!answer.cut && !answer.hang && answer.done !== false) await write('[DONE]')
  end(response, answer)
}
