// Reading request bodies: JSON only, uncompressed, each within its limit and all together within a budget.
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Invalid, Refusal } from '../contract/refusals.ts'
import { parseJson } from './json.ts'

const allBodies = 256 * 1024 * 1024

/** What may be in flight of all bodies and messages together. */
export type BodyBudget = ReturnType<typeof createBodyBudget>
export const createBodyBudget = (most = allBodies) => {
  let inFlight = 0
  return {
    /** False: it is too much. It counts all the same, until it is given back. */
    take(bytes: number): boolean {
      inFlight += bytes
      return inFlight <= most
    },
    give(bytes: number): void {
      inFlight -= bytes
    },
  }
}

export const readBodies = (app: FastifyInstance, budget: BodyBudget): void => {
  const collect = (request: FastifyRequest, payload: IncomingMessage): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const limit = request.routeOptions.bodyLimit
      const chunks: Buffer[] = []
      let size = 0
      const finish = (end: () => void) => {
        payload.off('data', take).off('end', whole).off('error', broken).off('close', broken)
        budget.give(size)
        end()
      }
      const refuse = (refusal: Refusal) => {
        payload.resume() // what is still coming is thrown away
        finish(() => reject(refusal))
      }
      const take = (chunk: Buffer) => {
        size += chunk.length
        const fits = budget.take(chunk.length)
        if (size > limit) return refuse(new Refusal('BodyTooLarge', { limit }))
        if (!fits) return refuse(new Refusal('Busy'))
        chunks.push(chunk)
      }
      const whole = () => {
        const [only] = chunks
        finish(() => resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks)))
      }
      const broken = (error?: Error) =>
        finish(() => reject(error ?? Object.assign(new Error('the body was cut'), { code: 'ECONNRESET' })))
      if (Number(request.headers['content-length'] ?? 0) > limit) {
        return reject(new Refusal('BodyTooLarge', { limit }))
      }
      payload.on('data', take).on('end', whole).on('error', broken).on('close', broken)
    })

  const read = async (request: FastifyRequest, payload: IncomingMessage): Promise<unknown> => {
    const encoding = request.headers['content-encoding']
    if (encoding && encoding.toLowerCase() !== 'identity') throw new Refusal('MediaType')
    const bytes = await collect(request, payload)
    if (bytes.length === 0) return undefined
    if (!isUtf8(bytes)) {
      throw new Invalid([{ loc: ['body', 0], msg: 'JSON decode error: not UTF-8', type: 'json_invalid' }])
    }
    return parseJson(bytes.toString('utf8'))
  }

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', (request: FastifyRequest, payload: IncomingMessage) =>
    read(request, payload),
  )
  // Some clients name a type where they send nothing.
  app.addContentTypeParser('*', async ({ headers }: FastifyRequest) => {
    const isEmpty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
    if (!isEmpty) throw new Refusal('MediaType')
  })
}
