// What takes longer than ten seconds: heartbeats on streams, spaces before an answer. All wait side by side,
// each test then says what came of its own.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fastify from 'fastify'
import t from 'tap'
import { answerWhenReady } from '../../src/http/answer/slow-answer.ts'
import { dial, idsOf, pause, read, until } from '../support/http.ts'
import { adminToken, serveHere, spawnServer } from '../support/server.ts'
import { decode, framesOf } from '../support/sse.ts'

const { url, api, lines } = await serveHere(t)
const otherDir = mkdtempSync(path.join(tmpdir(), 'reprise-slow-'))
t.teardown(() => rmSync(otherDir, { recursive: true, force: true }))
const other = await spawnServer(t, otherDir)

const sleeper = (ms: number, more: object = {}) => ({
  user_message_content: 'x',
  stream: false,
  agent_config: { agent_id: 'script', script: [{ sleep_ms: ms }, { message: 'awake' }] },
  ...more,
})
const request = (method: string, path: string, headers: string[], body = '') =>
  [
    `${method} /v1${path} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${adminToken}`,
    ...(body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
    ...headers,
    '',
    body,
  ].join('\r\n')
const create = (body: object, ...headers: string[]) =>
  request('POST', '/tasks', headers, JSON.stringify(body))
const isOver = (raw: string): boolean => raw.endsWith('\r\n0\r\n\r\n')
/** The body of a chunked answer so far. */
const unchunked = (raw: string): string => {
  let rest = raw.slice(raw.indexOf('\r\n\r\n') + 4)
  let text = ''
  for (;;) {
    const size = /^([0-9a-f]+)\r\n/.exec(rest)
    const length = Number.parseInt(size?.[1] ?? '0', 16)
    if (size === null || length === 0) return text
    text += rest.slice(size[0].length, size[0].length + length)
    rest = rest.slice(size[0].length + length + 2)
  }
}

// Each piece of work takes longer than ten seconds by three: on a busy machine the answer may begin late.
const workMs = 13_000

const blocking = async () => {
  const { socket, state, answer } = await dial(url)
  const asked = performance.now()
  socket.write(create(sleeper(workMs), 'X-Request-ID: patient'))
  await until(() => unchunked(state.raw) !== '')
  const silentMs = performance.now() - asked
  const { status, headers } = answer()
  const waiting = unchunked(state.raw)
  await until(() => isOver(state.raw))
  socket.destroy()
  return { silentMs, status, headers, waiting, text: unchunked(state.raw) }
}

const stream = async (text: string) => {
  const { socket, state } = await dial(url)
  socket.write(text)
  await until(() => isOver(state.raw))
  socket.destroy()
  return unchunked(state.raw)
}

const follower = async () => {
  const { body } = await read(api('POST', '/tasks', sleeper(workMs, { background: true })))
  return stream(request('GET', `/tasks/${body.result.id}/events`, ['Accept: text/event-stream']))
}

const idsThere = async (query: string) => idsOf(await read(other.api('GET', `/tasks?${query}`)))

/** Callers who go away before the first space, and after it. */
const leavers = async () => {
  const leave = async (session_id: string, when: (raw: string) => boolean, more: object = {}) => {
    const { socket, state, closed } = await dial(other.url)
    socket.write(create(sleeper(workMs, { session_id, ...more })))
    await until(async () => (await idsThere(`session_id=${session_id}`)).length === 1)
    await until(() => when(state.raw))
    socket.destroy()
    await closed
  }
  const atOnce = () => true
  const afterSpace = (raw: string) => unchunked(raw) !== ''
  await Promise.all([
    leave('early', atOnce),
    leave('early-stream', atOnce, { stream: true }),
    leave('late', afterSpace),
    leave('late-stream', raw => raw.includes(': heartbeat'), { stream: true }),
  ])
  await until(async () => (await idsThere('status=completed')).length === 4)
}

/** A fault of ours after the first space. */
const faulty = async () => {
  const faults: unknown[] = []
  const app = fastify({ forceCloseConnections: true })
  const wrong = () => pause(10_300).then(() => Promise.reject(new Error('a bug')))
  app.get('/', (_, reply) =>
    answerWhenReady(reply, wrong(), new AbortController().signal, error => faults.push(error)),
  )
  const answer = await fetch(await app.listen({ port: 0, host: '127.0.0.1' }))
  const text = await answer.text().catch(String)
  await app.close()
  return { text, faults }
}

const [answered, streamed, followed, broken] = await Promise.all([
  blocking(),
  stream(create(sleeper(workMs, { stream: true }))),
  follower(),
  faulty(),
  leavers(),
])

t.test('a blocking create of thirteen seconds commits a 200, sends a space, then the JSON', async t => {
  t.ok(answered.silentMs > 9_900, `nothing for the first ten seconds: ${answered.silentMs} ms`)
  t.equal(answered.status, 200)
  t.match(answered.headers, {
    'content-type': 'application/json; charset=utf-8',
    'x-api-version': '2.3.0',
    'x-request-id': 'patient',
  })
  t.equal(answered.waiting, ' ')
  t.match(answered.text, /^ \{/)
  t.match(JSON.parse(answered.text), { jsonrpc: '2.0', id: 'patient', result: { status: 'completed' } })
})

t.test('a stream without events sends a comment every ten seconds, between frames', async t => {
  const { comments, complaints } = decode(streamed)
  const [open, ...beats] = comments.map(comment => comment.trim())
  t.equal(open, 'open')
  t.match(beats.join(' '), /^heartbeat( heartbeat)?$/, 'one in ten seconds, so one or two in thirteen')
  t.same(complaints, [])
  t.match(streamed, /\n\n(: heartbeat\n)+event: /, 'one line, with no blank line after it')
  t.equal(framesOf(streamed).at(-1)?.type, 'task.completed')
})

t.test('a follower is kept alive as well', async t => {
  t.match(followed, /\n\n(: heartbeat\n)+event: task\./)
  t.equal(framesOf(followed).at(-1)?.type, 'task.completed')
})

t.test('callers who leave before or during the spaces harm nobody', async t => {
  const answer = await read(other.api('GET', '/tasks?status=completed')).catch(String)
  t.match(answer, { status: 200 }, other.output())
  t.match(answer, { body: { result: { length: 4 } } }, 'the work went on to its end')
  t.notMatch(other.output(), /defect of the server|Error:/)
})

t.test('a fault after the first space breaks the connection, and the operator hears of it', async t => {
  t.match(broken.text, /^TypeError/)
  t.match(broken.faults, [{ message: 'a bug' }])
})

t.test('the operator was told of no error', async t => {
  t.same(
    lines.filter(line => line.level === 'error'),
    [],
  )
})
