// The cheapest possible fan-out over WebSockets, as a baseline: bare `ws` sends the bytes of each event to every open
// socket. `POST /emit {events, together, text, last}` starts it.
import { createServer } from 'node:http'
import { WebSocketServer } from 'ws'

const wss = new WebSocketServer({ noServer: true, perMessageDeflate: false })

const emit = async ({
  events,
  together,
  text,
  last,
}: Record<'text' | 'last', string> & Record<'events' | 'together', number>) => {
  const [usual, final] = [Buffer.from(text), Buffer.from(last)]
  for (let n = 0; n < events; n += together) {
    for (const socket of wss.clients) {
      for (let i = n; i < n + together; i++) socket.send(i === events - 1 ? final : usual, { binary: false })
    }
    await new Promise(resolve => setImmediate(resolve))
  }
}

const server = createServer(async (request, response) => {
  if (request.method !== 'POST') return void response.end('{}')
  let body = ''
  for await (const piece of request) body += piece
  await emit(JSON.parse(body))
  response.end('{}')
})
server.on('upgrade', (request, socket, head) => {
  wss.handleUpgrade(request, socket, head, opened => opened.on('message', () => opened.send('{}')))
})
server.listen(Number(process.env.PORT), '127.0.0.1')
process.on('SIGTERM', () => process.exit(0))
