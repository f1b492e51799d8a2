// Connects to a server at a URL by Streamable HTTP. An incomplete answer is an error.
import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Timers } from '../contract/ports.ts'
import type { Fetch } from '../egress/guarded-fetch.ts'
import { brokenOff } from './failure.ts'
import type { Answers } from './reading/answers.ts'
import { readingFetch } from './reading-fetch.ts'
import type { McpServer } from './server.ts'

type PlaceServer = Extract<McpServer, { url: string }>
type Sdk = { StreamableHTTPClientTransport: typeof StreamableHTTPClientTransport }

/** The shortest wait before a reconnect, in milliseconds. */
const soonestMs = 1000
/** The end of a session may take at most this many milliseconds when a connection is closed. */
const goodbyeMs = 500

type Deps = { fetch: Fetch; answers: Answers; timers: Pick<Timers, 'after'> }

export const httpTransport = (
  { StreamableHTTPClientTransport }: Sdk,
  { url, headers }: PlaceServer,
  { fetch, answers, timers }: Deps,
): StreamableHTTPClientTransport => {
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: readingFetch(fetch, { answers, timers }),
    requestInit: { headers },
    // The server determines the delay before a reconnect; a minimum prevents a busy loop.
    reconnectionScheduler: (reconnect, delay) => {
      const timer = setTimeout(reconnect, Math.max(delay, soonestMs))
      return () => clearTimeout(timer)
    },
  })
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    for (const one of [message].flat()) answers.sent(one)
    const id = 'method' in message && 'id' in message ? message.id : undefined
    return send(message, {
      ...options,
      // A stream may end without the answer to its request. Then the request fails.
      onRequestStreamEnd: () => {
        options?.onRequestStreamEnd?.()
        const own = id === undefined ? [] : [id]
        for (const failure of answers.fail(own, brokenOff, 'broke its answer off')) {
          transport.onmessage?.(failure)
        }
      },
    })
  }
  // A server expects its own version of the protocol, also when the client does not know this version.
  const setVersion = transport.setProtocolVersion.bind(transport)
  transport.setProtocolVersion = version => setVersion(answers.version() ?? version)
  const close = transport.close.bind(transport)
  transport.close = async () => {
    // Ends the session, so that the server need not keep it. If this fails, the server will time it out.
    const goodbye = transport.terminateSession().catch(() => {})
    await Promise.race([goodbye, new Promise(resolve => setTimeout(resolve, goodbyeMs))])
    await close()
  }
  return transport
}
