// Sends an answer that may take long. For ten seconds the server sends nothing. Then it sends the status and the
// headers, and a space every ten seconds until it sends the JSON; the spaces prevent read timeouts. After the first
// space the server can report an error only by breaking the connection, so a caller never takes half an answer for a
// whole one.
import type { FastifyReply } from 'fastify'
import { Refusal } from '../../contract/refusals.ts'
import { onAbort } from '../../platform/on-abort.ts'
import { isLong, type Text } from '../../platform/pieces.ts'
import { isFault } from './errors.ts'
import { writeHead } from './head.ts'
import { json, pourOut, sendText } from './send-text.ts'

const patienceMs = 10_000

/**
 * Answers with the text of `ready`. `stopping` aborts when the server stops. `onFault` receives an error of the server
 * after which the answer could not be finished.
 */
export const answerWhenReady = async (
  reply: FastifyReply,
  ready: Promise<Text>,
  stopping: AbortSignal,
  onFault: (error: unknown) => void,
  type = json,
): Promise<unknown> => {
  let stopWaiting = () => {}
  const slow = new Promise<'slow' | 'stopping'>(resolve => {
    const timer = setTimeout(() => resolve('slow'), patienceMs)
    timer.unref()
    const forget = onAbort(stopping, () => resolve('stopping'))
    stopWaiting = () => {
      clearTimeout(timer)
      forget()
    }
  })
  const first = await Promise.race([ready.then(text => ({ text })), slow]).finally(() => stopWaiting())
  if (typeof first === 'object') return sendText(reply, first.text, onFault, { type })
  if (first === 'stopping') {
    ready.catch(() => {})
    throw new Refusal('ShuttingDown')
  }

  reply.hijack()
  const { raw } = reply
  writeHead(reply, { 'content-type': type })
  raw.write(' ')
  const beat = setInterval(() => raw.write(' '), patienceMs)
  const forget = onAbort(stopping, () => raw.destroy())
  try {
    const text = await ready
    clearInterval(beat)
    if (isLong(text)) await pourOut(reply, text, onFault)
    else raw.end(text)
  } catch (error) {
    if (isFault(error)) onFault(error)
    raw.destroy()
  } finally {
    clearInterval(beat)
    forget()
  }
  return reply
}
