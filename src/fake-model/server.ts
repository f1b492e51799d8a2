// A small OpenAI-compatible server that answers from a script or, without a script, with plausible answers. It records
// the requests.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Answer } from './answer.ts'
import { modelName } from './completion.ts'
import { type Asked, createPlayer } from './player.ts'
import { createRouter } from './router.ts'
import { sendError, sendJson } from './send.ts'

const secret = /^(authorization|proxy-authorization|cookie|(x-)?api-key)$/
const withoutSecrets = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, secret.test(name) ? '***' : value]),
  )
const requestsOf = (asked: Asked[]) =>
  asked.map(({ body, headers }) => ({ body, headers: withoutSecrets(headers) }))

const models = {
  object: 'list',
  data: [{ id: modelName, object: 'model', created: 0, owned_by: 'reprise' }],
}

/**
 * Starts a fake model on `host` (127.0.0.1 if absent) and `port` (any free one if absent). `url` is its root, without
 * /v1. Rejects if it cannot listen, or if the answers are no valid script.
 */
export const startFakeModel = async ({
  answers,
  port = 0,
  host = '127.0.0.1',
}: {
  answers?: Answer[]
  port?: number
  host?: string
} = {}) => {
  const { asked, complete, replaceScript } = createPlayer(answers)
  const handle = createRouter({
    '/v1/chat/completions': { POST: complete },
    '/v1/models': { GET: (_request, response) => sendJson(response, models) },
    '/requests': { GET: (_request, response) => sendJson(response, requestsOf(asked)) },
    '/script': { POST: replaceScript },
  })
  const server = createServer((request, response) => {
    handle(request, response).catch(error => {
      if (response.destroyed) return // the client has gone
      if (response.headersSent) response.destroy()
      else sendError(response, { status: 500, message: String(error) })
    })
  })
  server.listen(port, host)
  await once(server, 'listening') // rejects on an 'error' event of the server
  const address = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    asked,
    async close(): Promise<void> {
      server.closeAllConnections()
      if (!server.listening) return
      server.close()
      await once(server, 'close')
    },
  }
}
export type FakeModel = Awaited<ReturnType<typeof startFakeModel>>
