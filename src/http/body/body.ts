// Reads request bodies: only uncompressed JSON. A small body is read here. A large body is read in a thread, so that
// other callers do not wait for it.
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Invalid, Refusal } from '../../contract/refusals.ts'
import { type BodyBudget, holderOf } from './budget.ts'
import { noteChecked } from './checked.ts'
import { collect } from './collect.ts'
import { createBodyThread } from './elsewhere.ts'
import { parseJson } from './json.ts'
import { defaultPace, watchPace } from './pace.ts'

/**
 * The length of the largest body that is read on the main thread, in bytes. For a body of this length, moving it to the
 * thread would take longer than reading it.
 */
const readHere = 64 * 1024

export const readBodies = (app: FastifyInstance, budget: BodyBudget, limits = defaultPace): void => {
  const pace = watchPace(limits)
  const elsewhere = createBodyThread()
  app.addHook('onClose', async () => {
    pace.stop()
    await elsewhere.close()
  })
  app.decorateRequest('bodyDigest')

  const read = async (request: FastifyRequest, payload: IncomingMessage): Promise<unknown> => {
    const encoding = request.headers['content-encoding']
    if (encoding && encoding.toLowerCase() !== 'identity') throw new Refusal('MediaType')
    const { chunks, size, give } = await collect(request, payload, { budget, pace })
    try {
      if (size === 0) return undefined
      if (size <= readHere)
        return parseJson(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks))
      const { operation } = request.routeOptions.config
      const { value, digest, problems } = await elsewhere.parse(
        holderOf(request.principal),
        chunks,
        operation,
      )
      request.bodyDigest = digest
      noteChecked(value, problems && new Invalid(problems))
      return value
    } finally {
      give()
    }
  }

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', (request: FastifyRequest, payload: IncomingMessage) =>
    read(request, payload),
  )
  app.addContentTypeParser(
    'application/a2a+json',
    async (request: FastifyRequest, payload: IncomingMessage) => {
      if (!request.routeOptions.config.errors?.startsWith('a2a')) throw new Refusal('MediaType')
      return read(request, payload)
    },
  )
  // Some clients name a content type although they send no body.
  app.addContentTypeParser('*', async ({ headers }: FastifyRequest) => {
    const isEmpty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
    if (!isEmpty) throw new Refusal('MediaType')
  })
}
