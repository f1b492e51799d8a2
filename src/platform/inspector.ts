// Shows developers what running actors do: a page that only this machine can open, and a stream of the messages that
// the page shows. The messages hold texts of users, so no answer allows a page of another origin to read them.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspectorPage } from './inspector-page.ts'

/** The number of newest messages that are kept for pages that open later. Stately's own relay keeps as many. */
const kept = 200

export type Inspector = { url: string; show(message: string): void; close(): Promise<void> }

export const startInspector = async (): Promise<Inspector> => {
  const messages: string[] = []
  const watching = new Set<ServerResponse>()
  let host = ''
  const watch = (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const message of messages) response.write(message)
    watching.add(response)
    response.on('close', () => watching.delete(response))
  }
  const server = createServer((request, response) => {
    // The host must be exactly this address: a web page on the internet can have a host name that leads to this
    // machine.
    if (request.headers.host !== host) response.writeHead(403).end()
    else if (request.url === '/events') watch(response)
    else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(inspectorPage)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: '127.0.0.1', port: 0 }, resolve)
  })
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `http://${host}`,
    show(text) {
      const message = `data: ${text}\n\n`
      messages.push(message)
      if (messages.length > kept) messages.shift()
      for (const response of watching) response.write(message)
    },
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
