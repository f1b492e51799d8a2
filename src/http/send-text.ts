// Sends texts as answers: short ones whole, long ones while they are made, no faster than their reader takes them. A
// failure after the first byte breaks the connection, so an answer that ends properly is complete.
import type { FastifyReply } from 'fastify'
import { ChangedMeanwhile } from '../contract/changed-meanwhile.ts'
import { Refusal } from '../contract/refusals.ts'
import { nextTurn } from '../fairness/slices.ts'
import { gathered, isLong, type Pieces, type Text, wholeAtMost } from '../platform/pieces.ts'
import { isGone } from './errors.ts'
import { writeHead } from './head.ts'
import { pour } from './pour.ts'

export const json = 'application/json; charset=utf-8'
export const ndjson = 'application/x-ndjson; charset=utf-8'
/** Lines that are useful one by one: each is sent as soon as it is made. */
export const asLines = { type: ndjson, whole: 0 }

/**
 * Sends the rest of an answer whose head is sent. `onFault` receives errors that are neither expected nor caused by the
 * caller.
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
    await nextTurn() // sends what was handed over
    raw.destroy()
  }
}

/** Sends a text. Throws errors that happen before the first byte: while it gathers the text up to `whole`. */
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
