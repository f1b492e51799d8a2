// Connects to a server at a URL by Streamable HTTP. The size of answers is limited. An incomplete answer is an error.
import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Fetch } from '../egress/guarded-fetch.ts'
import { withMarks } from './exact-answers.ts'
import { brokenOff } from './failure.ts'
import { maxBytes } from './limits.ts'
import type { McpServer } from './server.ts'

type PlaceServer = Extract<McpServer, { url: string }>
type Sdk = { StreamableHTTPClientTransport: typeof StreamableHTTPClientTransport }

/** Ends the body of an answer with an error when it is too large. The decompressed size counts. */
const bounded =
  (fetch: Fetch): Fetch =>
  async (url, init) => {
    const response = await fetch(url, init)
    if (response.body === null) return response
    let room = maxBytes
    const count = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        room -= chunk.length
        if (room < 0) controller.error(new Error('the answer is too large'))
        else controller.enqueue(chunk)
      },
    })
    const { status, statusText, headers } = response
    const body = withMarks(response.body.pipeThrough(count), headers.get('content-type'))
    return new Response(body, { status, statusText, headers })
  }

/** The shortest wait before a reconnect, in milliseconds. */
const soonestMs = 1000
/** The end of a session may take at most this many milliseconds when a connection is closed. */
const goodbyeMs = 500

export const httpTransport = (
  { StreamableHTTPClientTransport }: Sdk,
  { url, headers }: PlaceServer,
  fetch: Fetch,
): StreamableHTTPClientTransport => {
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: bounded(fetch),
    requestInit: { headers },
    // The server determines the delay before a reconnect; a minimum prevents a busy loop.
    reconnectionScheduler: (reconnect, delay) => {
      const timer = setTimeout(reconnect, Math.max(delay, soonestMs))
      return () => clearTimeout(timer)
    },
  })
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    const id = 'method' in message && 'id' in message ? message.id : undefined
    return send(message, {
      ...options,
      // A stream may end without the answer to its request. Then the request fails. If the answer has come, this error
      // has no effect.
      onRequestStreamEnd: () => {
        options?.onRequestStreamEnd?.()
        if (id === undefined) return
        transport.onmessage?.({
          jsonrpc: '2.0',
          id,
          error: { code: brokenOff, message: 'broken off' },
        })
      },
    })
  }
  const close = transport.close.bind(transport)
  transport.close = async () => {
    // Ends the session, so that the server need not keep it. If this fails, the server will time it out.
    const goodbye = transport.terminateSession().catch(() => {})
    await Promise.race([goodbye, new Promise(resolve => setTimeout(resolve, goodbyeMs))])
    await close()
  }
  return transport
}
