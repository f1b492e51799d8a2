// The cheapest possible fan-out, as a baseline: bare node:http writes the text of each event, or the joined texts of a
// burst, to every open response. `POST /emit {events, together, text, last, everyMs}` starts it.
import { createServer, type ServerResponse } from 'node:http'

const open = new Set<ServerResponse>()

const emit = async ({
  events,
  together,
  text,
  last,
  everyMs = 0,
}: Record<'text' | 'last', string> & Record<'events' | 'together', number> & { everyMs?: number }) => {
  for (let n = 0; n < events; n += together) {
    const isLast = n + together >= events
    const parts = Array.from({ length: together }, (_, i) => (isLast && i === together - 1 ? last : text))
    const joined = parts.join('')
    for (const response of open) response.write(joined)
    await new Promise(resolve => (everyMs > 0 ? setTimeout(resolve, everyMs) : setImmediate(resolve)))
  }
}

createServer(async (request, response) => {
  if (request.url === '/readyz') return void response.end('{}')
  if (request.method === 'POST') {
    let body = ''
    for await (const piece of request) body += piece
    await emit(JSON.parse(body))
    return void response.end('{}')
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  response.write(': open\n\n')
  request.socket.setNoDelay(true)
  open.add(response)
  response.on('close', () => open.delete(response))
}).listen(Number(process.env.PORT), '127.0.0.1')
process.on('SIGTERM', () => process.exit(0))
