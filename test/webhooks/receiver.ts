// A receiver of webhooks that answers as a test says, and remembers every request.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

export type Received = {
  path: string
  id: string
  headers: Record<string, string>
  body: string
  /** What the body says. */
  event: { type: string; timestamp: string; data: Record<string, unknown> }
  answered: number
}
export type Answer = (response: ServerResponse, request: IncomingMessage) => number

/** Answers with a status. */
export const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  response => {
    response.writeHead(code, headers).end('thank you')
    return code
  }
/** Never answers. */
export const hang: Answer = () => 0
/** Closes the connection. */
export const close: Answer = response => {
  response.destroy()
  return 0
}
/** Answers 200 with this many bytes. */
export const long =
  (bytes: number): Answer =>
  response => {
    response.writeHead(200).end(Buffer.alloc(bytes))
    return 200
  }

/** `answers`: what the next requests get, in order; then 200. */
export const receiver = async (t: Pick<Test, 'teardown'>, answers: Answer[] = [], port = 0) => {
  const received: Received[] = []
  let wake = () => {}
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('error', () => {})
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const answer = answers.shift() ?? status(200)
      const headers = request.headers as Record<string, string>
      received.push({
        path: request.url ?? '',
        id: headers['webhook-id'] ?? '',
        headers,
        body,
        event: JSON.parse(body || '{}'),
        answered: answer(response, request),
      })
      wake()
    })
  })
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    port: (server.address() as AddressInfo).port,
    received,
    /** The ids of the requests that were answered with 2xx. */
    accepted: () => received.filter(({ answered }) => answered >= 200 && answered < 300).map(({ id }) => id),
    answers,
    /** Resolves when `isDone` holds, which is looked at after each request. Rejects after `ms` milliseconds. */
    async until(isDone: (received: Received[]) => boolean, ms = 60_000): Promise<Received[]> {
      const end = Date.now() + ms
      while (!isDone(received)) {
        if (Date.now() > end)
          throw new Error(`after ${ms} ms: ${JSON.stringify(received.map(({ event }) => event.type))}`)
        await new Promise<void>(resolve => {
          wake = resolve
          setTimeout(resolve, 50)
        })
      }
      return received
    },
    stop(): void {
      server.closeAllConnections()
      server.close()
    },
  }
}
