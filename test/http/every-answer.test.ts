// Headers that every answer has: they come from one place, whichever way the answer leaves.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { WebSocket } from 'ws'
import { everyAnswer } from '../../src/contract/answer-headers.ts'
import { dial } from '../support/http.ts'
import { adminToken, serveHere } from '../support/server.ts'
import { addressOf } from './socket/client.ts'

const { url } = await serveHere(t)
const echo = { user_message_content: 'hello', client_id: 'echo', stream: false }
const auth = `Host: x\r\nAuthorization: Bearer ${adminToken}\r\n`
const get = (where: string, more = '') => `GET ${where} HTTP/1.1\r\n${auth}${more}\r\n`
const post = (where: string, body: object) => {
  const text = JSON.stringify(body)
  return `POST ${where} HTTP/1.1\r\n${auth}Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`
}
const handshake = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n'
const key = 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n'

/** What is sent, and the status of its answer. */
const ways: Record<string, [string, number]> = {
  'an answer at once': [get('/v1/tasks'), 200],
  'a refusal': [get('/v1/tasks/none'), 404],
  'an invalid request': [post('/v1/tasks', {}), 422],
  'a request that expects what the server does not know': [get('/v1/tasks', 'Expect: more\r\n'), 200],
  'an unknown route': [get('/nowhere'), 404],
  'a URL that cannot be read': [get('/v1/tasks/%zz'), 404],
  'an answer that is ready later': [post('/v1/tasks', echo), 200],
  'the stream of a task': [post('/v1/tasks', { ...echo, stream: true }), 200],
  'the stream of all events': [get('/api/events'), 200],
  'lines as they are made': [get('/v1/rollouts'), 200],
  'the page': [get('/docs'), 200],
  'the console': [get('/ui'), 200],
  'the handshake of a WebSocket': [get('/ws', handshake + key), 101],
  'a handshake that breaks the rules': [get('/ws', handshake), 400],
  'no HTTP at all': ['NONSENSE\r\n\r\n', 400],
}

for (const [name, [bytes, status]] of Object.entries(ways)) {
  t.test(`${name} has the headers of every answer`, async t => {
    const { socket, state } = await dial(url)
    t.teardown(() => socket.destroy())
    const headed = new Promise<void>(resolve =>
      socket.on('data', () => {
        if (state.raw.includes('\r\n\r\n')) resolve()
      }),
    )
    socket.write(bytes)
    await headed
    const [first = '', ...lines] = state.raw.slice(0, state.raw.indexOf('\r\n\r\n')).split('\r\n')
    t.equal(Number(first.split(' ')[1]), status)
    for (const [header, { value }] of Object.entries(everyAnswer)) {
      const own = lines.filter(line => line.toLowerCase().startsWith(`${header.toLowerCase()}:`))
      t.same(
        own.map(line => line.slice(header.length + 2)),
        [value],
        'once',
      )
    }
  })
}

t.test('a client of WebSockets sees them, too', async t => {
  const ws = new WebSocket(addressOf(url), { headers: { authorization: `Bearer ${adminToken}` } })
  t.teardown(() => ws.terminate())
  const headers = await new Promise<Record<string, unknown>>(resolve =>
    ws.once('upgrade', answer => resolve(answer.headers)),
  )
  for (const [header, { value }] of Object.entries(everyAnswer)) t.equal(headers[header.toLowerCase()], value)
})

t.test('heads are written in one file', t => {
  const files = readdirSync('src/http', { recursive: true, encoding: 'utf8' }).filter(name =>
    name.endsWith('.ts'),
  )
  const writers = files.filter(name =>
    /raw\.(writeHead|setHeader)\(/.test(readFileSync(path.join('src/http', name), 'utf8')),
  )
  t.same(writers, ['answer/head.ts'])
  t.end()
})
