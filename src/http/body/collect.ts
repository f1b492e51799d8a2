// Collects the bytes of a request's body as they come. Refuses a body that exceeds its size limit or the budget of all
// bodies, or that arrives more slowly than the slowest allowed pace.
import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { Refusal } from '../../contract/refusals.ts'
import { type BodyBudget, holderOf } from './budget.ts'
import type { PaceWatch } from './pace.ts'

/**
 * `chunks`: the body in parts. `size`: the length of the body in bytes. `give` returns these bytes to the budget; the
 * receiver of the body calls `give` once, when it no longer needs the chunks.
 */
export type Collected = { chunks: Uint8Array[]; size: number; give(): void }

/** Bytes of a body after which its chunks are copied into buffers of their own. */
const copiedFrom = 64 * 1024

/** The bytes of a chunk in a buffer of their own, which can be moved to a thread. */
export const alone = (chunk: Uint8Array): Uint8Array =>
  chunk.byteLength === chunk.buffer.byteLength ? chunk : Uint8Array.prototype.slice.call(chunk)

export const collect = (
  request: FastifyRequest,
  payload: IncomingMessage,
  { budget, pace }: { budget: BodyBudget; pace: PaceWatch },
): Promise<Collected> =>
  new Promise((resolve, reject) => {
    const limit = request.routeOptions.bodyLimit
    if (Number(request.headers['content-length'] ?? 0) > limit) {
      return reject(new Refusal('BodyTooLarge', { limit }))
    }
    const holder = holderOf(request.principal)
    const chunks: Uint8Array[] = []
    let size = 0
    const give = () => budget.give(holder, size)
    const finish = () => {
      payload.off('data', take).off('end', whole).off('error', broken).off('close', broken)
      coming.over()
    }
    const refuse = (error: Error) => {
      finish()
      give()
      reject(error)
    }
    const refuseRest = (refusal: Refusal) => {
      payload.resume() // reads the rest of the body and throws it away
      refuse(refusal)
    }
    const take = (chunk: Buffer) => {
      size += chunk.length
      coming.take(chunk.length)
      const fits = budget.take(holder, chunk.length)
      if (size > limit) return refuseRest(new Refusal('BodyTooLarge', { limit }))
      if (!fits) return refuseRest(budget.refusal())
      // A long body is copied while it comes, so that one copy of the whole body does not hold up the event loop.
      chunks.push(size > copiedFrom ? alone(chunk) : chunk)
    }
    const whole = () => {
      finish()
      resolve({ chunks, size, give })
    }
    const broken = (error?: Error) =>
      refuse(error ?? Object.assign(new Error('the body was cut'), { code: 'ECONNRESET' }))
    const coming = pace.begin(() => refuse(new Refusal('BodyTooSlow')))
    payload.on('data', take).on('end', whole).on('error', broken).on('close', broken)
  })
