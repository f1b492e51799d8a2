// The body of a stream as its bytes: with chunks and without, its end, and heartbeats that break no line.
import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { fastify } from 'fastify'
import t, { type Test } from 'tap'
import { handOver } from '../../src/http/answer/pour.ts'
import { prepared } from '../../src/http/answer/prepared.ts'
import { type Body, openBody } from '../../src/http/stream/stream-body.ts'
import { dial, until } from '../support/http.ts'
import { unchunked } from './event-streams.ts'

/** A server whose answers `play` writes. */
const given = async (t: Test, play: (body: Body, raw: ServerResponse) => unknown) => {
  const app = fastify()
  app.get('/', (request, reply) => void play(openBody(request, reply), reply.raw))
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(() => app.close())
  return async (head: string) => {
    const connection = await dial(url)
    connection.socket.write(head)
    return connection
  }
}
const bytes = (text: string) => prepared(Buffer.from(text))

t.test('a client without chunks gets the same bytes, and its connection ends', async t => {
  const ask = await given(t, (body, raw) => {
    body.write(bytes('data: ä\n\n'))
    setTimeout(() => {
      body.writeLast(bytes('data: last\n\n'))
      raw.end()
    }, 20)
  })
  const text = ': open\ndata: ä\n\ndata: last\n\n'
  const plain = await ask('GET / HTTP/1.0\r\n\r\n')
  await until(() => plain.state.ended)
  t.equal(Buffer.from(plain.state.raw, 'latin1').toString().split('\r\n\r\n')[1], text)
  t.notMatch(plain.state.raw, /chunked/i)

  const closing = await ask('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  await until(() => closing.state.ended)
  t.same(unchunked(closing.state.raw), { text, whole: true, behind: '' })

  const kept = await ask('GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n')
  const first = () => unchunked(kept.state.raw)
  await until(() => first().whole && unchunked(first().behind).whole)
  t.equal(first().text, text)
  t.equal(unchunked(first().behind).text, text, 'the answer that waited behind the first is whole as well')
  kept.socket.destroy()
})

t.test('what is known at once leaves in one packet, and the last bytes leave with the end', async t => {
  const ask = await given(t, (body, raw) => {
    body.write(bytes('data: first\n\n'))
    setTimeout(() => {
      body.writeLast(bytes('data: last\n\n'))
      queueMicrotask(() => raw.end())
    }, 50)
  })
  const { socket } = await ask('')
  const reads: string[] = []
  socket.on('data', (data: Buffer) => reads.push(String(data)))
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await until(() => reads.join('').endsWith('\r\n0\r\n\r\n'))
  t.equal(reads.length, 2)
  t.match(reads[0], /: open\n[\s\S]*data: first\n\n\r\n$/)
  socket.destroy()
})

t.test('a heartbeat comes between lines, never into one that is still being written', async t => {
  const ask = await given(t, async (body, raw) => {
    const line = async function* () {
      yield 'data: one '
      body.beat()
      await wait(5)
      body.beat()
      yield 'line\n\n'
    }
    await handOver(raw, body.unbroken(line()))
    body.beat()
    raw.end()
  })
  const { state } = await ask('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  await until(() => state.ended)
  t.equal(unchunked(state.raw).text, ': open\ndata: one line\n\n: heartbeat\n')
})
