// Sends texts as answers. A short text is sent whole. A long text is sent while it is made, no faster than the reader
// takes it. A failure after the first byte breaks the connection, so an answer that ends normally is complete.
import type { FastifyReply } from 'fastify'
import { ChangedMeanwhile } from '../../contract/changed-meanwhile.ts'
import { Refusal } from '../../contract/refusals.ts'
import { yieldToLoop } from '../../platform/loop.ts'
import { gathered, isLong, type Pieces, type Text, wholeAtMost } from '../../platform/pieces.ts'
import { isGone } from './errors.ts'
import { writeHead } from './head.ts'
import { pour } from './pour.ts'

export const json = 'application/json; charset=utf-8'
export const ndjson = 'application/x-ndjson; charset=utf-8'
/** Options for lines of JSON. Each line is useful alone, so it is sent as soon as it is made. */
export const asLines = { type: ndjson, whole: 0 }

/**
 * Sends the rest of an answer whose head has been sent. `onFault` receives errors that are neither expected nor caused
 * by the caller.
 */
export const pourOut = async (
  { raw }: FastifyReply,
  text: Pieces,
  onFault: (error: unknown) => void,
): Promise<void> => {
  try {
    await pour(raw, text)
  } catch (error) {
    const isExpected = error instanceof Refusal || error instanceof ChangedMeanwhile || isGone(error)
    if (!isExpected) onFault(error)
    await yieldToLoop() // lets the socket send what it was given
    raw.destroy()
  }
}

/**
 * Sends a text. Collects up to `whole` characters before it sends the first byte. Throws errors that occur until then.
 */
export const sendText = async (
  reply: FastifyReply,
  text: Text,
  onFault: (error: unknown) => void,
  { type = json, whole = wholeAtMost } = {},
): Promise<FastifyReply> => {
  const ready = isLong(text) ? await gathered(text, whole) : text
  if (!isLong(ready)) return reply.type(type).send(ready)
  reply.hijack()
  writeHead(reply, { 'content-type': type })
  await pourOut(reply, ready, onFault)
  return reply
}
