// Makes the body of a delivery.
import { jsonLine, type Published } from '../bus/published.ts'
import { createMemo } from '../platform/memo.ts'

/** A body, and its length in bytes. */
export type Body = { text: string; bytes: number }

export const bodyWith = (value: object): Body => {
  const text = jsonLine(JSON.stringify(value))
  return { text, bytes: Buffer.byteLength(text) }
}

const bodies = createMemo<Published, Body>('webhook body')
/** The body that carries an event, made once for all webhooks. */
export const bodyOf = (published: Published): Body => {
  const known = bodies.get(published)
  if (known !== undefined) return known
  const { type, timestamp, ...data } = published.event
  const body = bodyWith({ type, timestamp, data })
  bodies.set(published, body)
  return body
}
