// Texts as answers: short ones whole, long ones as they are made, no faster than their reader takes them. A failure after
// the first byte breaks the connection: an answer that ends is whole.
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
/** Lines that are of use one by one: the first leaves when it is there. */
export const asLines = { type: ndjson, whole: 0 }

/** The rest of an answer whose head is out. `onFault` hears of what is neither the caller's doing nor expected. */
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
    await nextTurn() // what was handed over leaves
    raw.destroy()
  }
}

/** Throws what goes wrong before the first byte: before so much is made as is told whole. */
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
