// Reading request bodies: JSON only, uncompressed, each within its limit and all together within a budget.
import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Invalid, Refusal } from '../contract/refusals.ts'
import { parseJson } from './json.ts'

const allBodies = 256 * 1024 * 1024

export const readBodies = (app: FastifyInstance): void => {
  let inFlight = 0

  const read = async (request: FastifyRequest, payload: AsyncIterable<Buffer>): Promise<unknown> => {
    const encoding = request.headers['content-encoding']
    if (encoding !== undefined && encoding !== 'identity') throw new Refusal('MediaType')
    const limit = request.routeOptions.bodyLimit
    if (Number(request.headers['content-length'] ?? 0) > limit) throw new Refusal('BodyTooLarge', { limit })
    const chunks: Buffer[] = []
    let size = 0
    try {
      for await (const chunk of payload) {
        size += chunk.length
        inFlight += chunk.length
        if (size > limit) throw new Refusal('BodyTooLarge', { limit })
        if (inFlight > allBodies) throw new Refusal('Busy')
        chunks.push(chunk)
      }
      if (size === 0) return undefined
      const bytes = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
      if (!isUtf8(bytes)) {
        throw new Invalid([{ loc: ['body', 0], msg: 'JSON decode error: not UTF-8', type: 'json_invalid' }])
      }
      return parseJson(bytes.toString('utf8'))
    } finally {
      inFlight -= size
    }
  }

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', (request: FastifyRequest, payload: AsyncIterable<Buffer>) =>
    read(request, payload),
  )
}
