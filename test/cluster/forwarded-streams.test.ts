// Long bodies, streams and WebSockets through a standby: they flow at the pace of the slower side, and end together.
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import tap, { type Test } from 'tap'
import { WebSocket as Client, type WebSocket, WebSocketServer } from 'ws'
import { bodyOf, moment, pairHere } from './nodes-here.ts'

const digestOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

const send = (port: number, method: string, headers: http.OutgoingHttpHeaders = {}, path = '/') =>
  http.request({ port, host: '127.0.0.1', method, path, headers, agent: false })
const answerTo = async (request: http.ClientRequest): Promise<IncomingMessage> =>
  ((await once(request, 'response')) as [IncomingMessage])[0]

tap.test('a body of 32 MiB comes through whole in both directions, with a length and in chunks', async t => {
  const { standby } = await pairHere(t, {
    request: (message, response) => message.pipe(response),
  })
  const body = randomBytes(32 * 1024 * 1024)
  for (const headers of [{ 'content-length': body.length }, {}]) {
    const request = send(standby.port, 'POST', headers)
    request.end(body)
    t.equal(digestOf(await bodyOf(await answerTo(request))), digestOf(body))
  }
})

tap.test('a body waits at the client while the owner does not read it', async t => {
  const begun = moment<IncomingMessage>()
  const { standby } = await pairHere(t, {
    request(message, response) {
      message.once('end', () => response.end('read'))
      begun.happen(message)
    },
  })
  const size = 64 * 1024 * 1024
  const request = send(standby.port, 'POST', { 'content-length': size })
  const piece = Buffer.alloc(1024 * 1024)
  const before = process.memoryUsage().arrayBuffers
  let sent = 0
  const isFull = moment()
  const write = () => {
    while (sent < size) {
      sent += piece.length
      if (!request.write(piece)) {
        isFull.happen()
        return void request.once('drain', write)
      }
    }
    request.end()
  }
  write()
  const message = await begun.came
  await isFull.came
  await new Promise(resolve => setImmediate(resolve))
  t.ok(sent < size / 2, `${sent} bytes were taken`)
  t.ok(process.memoryUsage().arrayBuffers - before < size / 2)
  message.resume()
  t.equal((await bodyOf(await answerTo(request))).toString(), 'read')
})

tap.test('an answer waits at the owner while the client does not read it', async t => {
  const stood = moment<number>()
  const { standby } = await pairHere(t, {
    request(_, response) {
      const piece = Buffer.alloc(256 * 1024)
      let written = 0
      const write = () => {
        while (written < 64 * 1024 * 1024) {
          written += piece.length
          if (!response.write(piece)) {
            const idle = setTimeout(() => stood.happen(written), 300)
            return void response.once('drain', () => {
              clearTimeout(idle)
              write()
            })
          }
        }
        response.end()
      }
      write()
    },
  })
  const request = send(standby.port, 'GET')
  request.end()
  const answer = await answerTo(request)
  answer.pause()
  const written = await stood.came
  t.ok(written < 32 * 1024 * 1024, `${written} bytes were written`)
  t.equal((await bodyOf(answer)).length, 64 * 1024 * 1024)
})

/** A stream that the test writes. */
const streamingPair = async (t: Test) => {
  const open = moment<ServerResponse>()
  const pair = await pairHere(t, {
    request(_, response) {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      open.happen(response)
    },
  })
  const request = send(pair.standby.port, 'GET', { accept: 'text/event-stream' })
  request.end()
  const answer = await answerTo(request)
  return { ...pair, request, answer, response: await open.came }
}

tap.test('the head of a stream and each of its events come at once', async t => {
  const { answer, response } = await streamingPair(t)
  t.equal(answer.headers['content-type'], 'text/event-stream')
  for (const text of ['data: 1\n\n', ': ping\n\n', 'data: 2\n\n']) {
    response.write(text)
    t.equal(String(((await once(answer, 'data')) as [Buffer])[0]), text)
  }
  response.end()
  await once(answer, 'end')
})

tap.test('the owner learns that a client has left its stream', async t => {
  const { answer, response } = await streamingPair(t)
  answer.destroy()
  await once(response, 'close')
  t.notOk(response.writableFinished)
})

tap.test(
  'a client learns that the owner of its stream is gone, and takes the stream for no whole one',
  async t => {
    const { answer, owner } = await streamingPair(t)
    answer.resume()
    owner.die()
    const [error] = await once(answer, 'error')
    t.match(error, { code: 'ECONNRESET' })
    t.notOk(answer.complete)
  },
)

tap.test('the owner learns that a client has left in the middle of its body', async t => {
  const begun = moment<IncomingMessage>()
  const { standby } = await pairHere(t, { request: message => begun.happen(message) })
  const request = send(standby.port, 'POST', { 'content-length': 10 })
  request.on('error', () => {})
  request.write('abc')
  const message = await begun.came
  message.on('error', () => {}).resume()
  request.destroy()
  await new Promise(resolve => message.once('close', resolve))
  t.notOk(message.complete)
})

tap.test('an answer that comes before the end of the body reaches the client', async t => {
  const { standby } = await pairHere(t, {
    request: (_, response) =>
      void response.writeHead(413, { connection: 'close', 'content-length': 3 }).end('big'),
  })
  const request = send(standby.port, 'POST', { 'content-length': 1_000_000 })
  request.on('error', () => {})
  request.write('abc')
  const answer = await answerTo(request)
  t.equal(answer.statusCode, 413)
  t.equal(answer.headers.connection, 'close')
  t.equal(String(await bodyOf(answer)), 'big')
})

tap.test('a client that expects a 100 gets it when the owner takes the request', async t => {
  const { standby } = await pairHere(t, { request: (message, response) => message.pipe(response) })
  const request = send(standby.port, 'POST', { expect: '100-continue', 'content-length': 3 })
  request.flushHeaders()
  await once(request, 'continue')
  request.end('abc')
  t.equal(String(await bodyOf(await answerTo(request))), 'abc')
})

/** A pair whose owner opens WebSockets that send back what they get. */
const socketPair = async (t: Test, seen: (ws: WebSocket, message: IncomingMessage) => void = () => {}) => {
  const wss = new WebSocketServer({ noServer: true })
  return pairHere(t, {
    upgrade: (message, socket, head) =>
      wss.handleUpgrade(message, socket, head, ws => {
        ws.on('message', (data, isBinary) => ws.send(data, { binary: isBinary }))
        ws.on('error', () => {})
        seen(ws, message)
      }),
  })
}

tap.test('a WebSocket goes through in both directions, and closes on both sides', async t => {
  const opened = moment<WebSocket>()
  const headers = moment<IncomingMessage>()
  const { standby } = await socketPair(t, (ws, message) => {
    opened.happen(ws)
    headers.happen(message)
  })
  const client = new Client(`ws://127.0.0.1:${standby.port}/ws?since=1`, ['reprise', 'token.abc'], {
    headers: { authorization: 'Bearer abc', 'reprise-node': 'forged' },
  })
  await once(client, 'open')
  t.equal(client.protocol, 'reprise')
  const message = await headers.came
  t.match(message.headers, { authorization: 'Bearer abc', 'x-forwarded-for': '127.0.0.1' })
  t.equal(message.url, '/ws?since=1')
  t.notMatch(message.rawHeaders.join(' '), /reprise-node/)
  const large = randomBytes(1024 * 1024)
  client.send(large)
  t.equal(digestOf(((await once(client, 'message')) as [Buffer])[0]), digestOf(large))
  const server = await opened.came
  client.close(4000, 'bye')
  const [[code, reason]] = await Promise.all([once(server, 'close'), once(client, 'close')])
  t.same([code, String(reason)], [4000, 'bye'])
})

tap.test('a WebSocket breaks on one side when it breaks on the other', async t => {
  const opened = moment<WebSocket>()
  const { standby } = await socketPair(t, opened.happen)
  const client = new Client(`ws://127.0.0.1:${standby.port}/ws`)
  await once(client, 'open')
  const server = await opened.came
  client.terminate()
  t.match(await once(server, 'close'), [1006])

  const again = moment<WebSocket>()
  const other = await socketPair(t, again.happen)
  const second = new Client(`ws://127.0.0.1:${other.standby.port}/ws`)
  await once(second, 'open')
  await again.came
  other.owner.die()
  t.match(await once(second, 'close'), [1006])
})

tap.test('the refusal of a WebSocket reaches the client', async t => {
  const { standby } = await pairHere(t, {
    upgrade: (_, socket) =>
      socket.end('HTTP/1.1 401 Unauthorized\r\nx-why: no\r\ncontent-length: 4\r\n\r\nno!!'),
  })
  const client = new Client(`ws://127.0.0.1:${standby.port}/ws`)
  const [, answer] = (await once(client, 'unexpected-response')) as [unknown, IncomingMessage]
  t.equal(answer.statusCode, 401)
  t.equal(answer.headers['x-why'], 'no')
  t.equal(String(await bodyOf(answer)), 'no!!')
})

tap.test('a request for another protocol is answered as a plain one', async t => {
  const { standby } = await pairHere(t, { request: (message, response) => response.end(message.url) })
  const request = send(
    standby.port,
    'GET',
    { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c' },
    '/plain',
  )
  request.end()
  t.equal(String(await bodyOf(await answerTo(request))), '/plain')
})
