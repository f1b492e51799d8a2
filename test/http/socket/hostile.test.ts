// WebSockets that mean no good, or cannot do better: memory stays bounded, and others keep their pace.
import { randomBytes } from 'node:crypto'
import t from 'tap'
import { dial, pause, read, until } from '../../support/http.ts'
import { adminToken, serveHere } from '../../support/server.ts'
import { allOf } from '../event-streams.ts'
import { briefly, openSocket } from './client.ts'
import { doorHere } from './door-here.ts'

const server = await serveHere(t)
const { url, api, system, lines } = server
const echo = { user_message_content: 'hello', stream: false, client_id: 'echo' }
const MiB = 1024 * 1024

/** A connection by hand, after its handshake; frames are masked with zeros, so that they read as they are. */
const byHand = async (to: string, token = adminToken) => {
  const connection = await dial(to)
  connection.socket.write(
    'GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
      `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n` +
      `${token === '' ? '' : `Authorization: Bearer ${token}\r\n`}\r\n`,
  )
  await until(() => connection.state.raw.includes('\r\n\r\n'))
  connection.state.raw = ''
  return connection
}
/** One frame; `announced` bytes of which perhaps only some follow. */
const frame = (
  first: number,
  payload: string | Buffer = '',
  announced = Buffer.byteLength(payload),
): Buffer => {
  const head = announced < 126 ? [first, 0x80 | announced] : [first, 0x80 | 127]
  const length = Buffer.alloc(announced < 126 ? 0 : 8)
  if (length.length > 0) length.writeBigUInt64BE(BigInt(announced))
  return Buffer.concat([Buffer.from(head), length, Buffer.alloc(4), Buffer.from(payload)])
}
const closeCodeIn = (raw: string): number | undefined => {
  const at = raw.lastIndexOf('\x88')
  return at < 0 ? undefined : raw.charCodeAt(at + 2) * 256 + raw.charCodeAt(at + 3)
}
/**
 * Sends commands of somebody else, one after the other, while a flood goes on, and says how many were answered: at least four,
 * over at least 1.5 seconds. How long an answer takes depends on the machine; that it comes during the flood does not.
 */
const answerOthers = async (): Promise<number> => {
  const other = await openSocket(url)
  await other.ask({ type: 'subscribe', channels: ['tasks'] })
  let lasted = false
  const lasting = pause(1500).then(() => {
    lasted = true
  })
  let answered = 0
  while (!lasted || answered < 4) {
    const { type } = await other.ask({ type: 'create', ...echo })
    if (type === 'result') answered++
  }
  await lasting
  await other.cut()
  return answered
}

t.test('a message that is too large, or no WebSocket at all, ends its connection alone', async t => {
  const large = await openSocket(url)
  large.say(`{"type":"ping","data":{"x":"${'x'.repeat(MiB)}"}}`)
  t.equal((await large.closed).code, 1009)
  const fits = await openSocket(url)
  t.equal((await fits.ask({ type: 'ping', x: 'x'.repeat(MiB - 100) })).type, 'pong')
  const wrong: [Buffer, number][] = [
    [frame(0x81, '', 2 ** 40), 1009],
    [frame(0x81, '', 2 ** 60), 1009],
    [Buffer.from([0x81, 0x02, 0x7b, 0x7d]), 1002], // not masked
    [frame(0xc1, '{}'), 1002], // compressed
    [frame(0x83, '{}'), 1002], // of no kind
    [frame(0x80, '{}'), 1002], // goes on with nothing
    [frame(0x09, 'cut'), 1002], // half a ping
    [frame(0x89, 'x'.repeat(126)), 1002], // a long ping
    [frame(0x81, Buffer.from([0xff, 0xfe])), 1007],
    [frame(0x88, Buffer.from([0x03, 0xe7])), 1002],
  ]
  for (const [bytes, code] of wrong) {
    const { socket, state, closed } = await byHand(url)
    socket.write(bytes)
    await closed
    t.equal(closeCodeIn(state.raw), code, bytes.subarray(0, 12).toString('hex'))
  }
  t.equal((await fits.ask({ type: 'ping' })).type, 'pong')
  await fits.cut()
})

t.test('binary, deep and strange messages are told to be wrong', async t => {
  const socket = await openSocket(url)
  socket.ws.send(randomBytes(1000))
  for (const text of [
    '['.repeat(MiB / 2),
    '{"a":'.repeat(100_000),
    '"'.repeat(1001),
    '{"type":"ping","__proto__":{}}',
    '1e999',
  ])
    socket.say(text)
  await until(() => socket.heard.length === 6)
  t.ok(socket.heard.every(one => one.type === 'error' && briefly(one).length === 1))
  t.equal((await socket.ask({ type: 'ping' })).type, 'pong')
  await socket.cut()
})

t.test('of a message in thousands of pieces nothing is kept for long', async t => {
  const { socket, state, closed } = await byHand(url)
  socket.write(frame(0x01, '"'))
  const pieces = Buffer.concat(Array.from({ length: 2000 }, () => frame(0x00, 'x')))
  socket.write(pieces)
  await closed
  t.equal(closeCodeIn(state.raw), 1008)
})

t.test('who has not said who it is cannot send much', async t => {
  const { socket, state, closed } = await byHand(url, '')
  socket.write(frame(0x81, 'x'.repeat(100), MiB))
  for (let n = 0; n < 200 && !state.ended && !state.broken; n++) {
    socket.write('x'.repeat(4096))
    await pause(1)
  }
  await closed
  t.match(state.raw, '-32030')
  t.match(state.raw, String.fromCharCode(0x88))
})

t.test('all that is in flight has one budget', async t => {
  const { url } = await doorHere(t, server, { budget: 2 * MiB })
  const others = await Promise.all([1, 2, 3].map(() => byHand(url)))
  for (const { socket } of others) socket.write(frame(0x81, 'x'.repeat(900_000), 1_000_000))
  await until(() => others.some(({ state }) => state.raw.includes('-32027')))
  const cut = others.find(({ state }) => state.raw.includes('-32027'))
  await cut?.closed
  t.equal(closeCodeIn(cut?.state.raw ?? ''), 1013)
  for (const { socket } of others) socket.destroy()
  await until(async () => {
    const socket = await openSocket(url)
    const { type } = await socket.ask({ type: 'ping', x: 'x'.repeat(1000) }).catch(() => ({ type: 'none' }))
    await socket.cut()
    return type === 'pong'
  })
})

t.test('a flood is read as fast as the rate allows, and no faster; others have their turn', async t => {
  const since = performance.now()
  const { socket, state } = await byHand(url)
  t.teardown(() => socket.destroy())
  const flood = Buffer.concat(Array.from({ length: 4000 }, () => frame(0x81, '{"type":"ping"}')))
  let sent = 0
  let isOver = false
  const pour = () => {
    while (!isOver && socket.write(flood)) sent += flood.length
    sent += flood.length
  }
  socket.on('drain', pour)
  const before = process.memoryUsage().rss
  pour()
  await answerOthers()
  isOver = true
  const pongs = state.raw.length / 17
  const mayHave = 2000 + performance.now() - since // one each millisecond
  t.ok(pongs <= mayHave, `${Math.round(pongs)} messages were answered, of ${Math.round(mayHave)}`)
  t.ok(pongs >= 2000, 'those that may come at once were')
  t.ok(sent < 64 * MiB, `${sent} bytes were taken: the sender waits`)
  t.ok(process.memoryUsage().rss - before < 150 * MiB)
  socket.destroy()
})

t.test('a flood of pings, of large messages, and of commands', async t => {
  const kinds = [
    frame(0x89),
    frame(0x81, `{"type":"ping","x":"${'x'.repeat(MiB - 100)}"}`),
    frame(0x81, JSON.stringify({ type: 'create', ...echo })),
  ]
  const before = process.memoryUsage().rss
  const flooding = await Promise.all(
    kinds.map(async bytes => {
      const connection = await byHand(url)
      const { socket } = connection
      t.teardown(() => socket.destroy())
      const many = Buffer.concat(Array.from({ length: Math.ceil(200_000 / bytes.length) }, () => bytes))
      const pour = () => {
        while (!socket.destroyed && socket.write(many)) {}
      }
      socket.on('drain', pour)
      pour()
      return connection
    }),
  )
  const answered = await answerOthers()
  const ofFlood = flooding.reduce((sum, { state }) => sum + state.raw.split('"type":"result"').length - 1, 0)
  t.ok(ofFlood > 0 && ofFlood < answered * 1000, `${answered} answers to others, ${ofFlood} to the flood`)
  for (const { socket } of flooding) socket.destroy()
  t.ok(process.memoryUsage().rss - before < 300 * MiB)
})

/** Tasks that fail with long words: megabytes of events. */
const fillUp = async (tasks: number) => {
  const script = [{ fail: { code: -32000, message: 'no '.repeat(33_000) } }]
  const body = { ...echo, client_id: 'script', agent_config: { agent_id: 'script', script } }
  for (let n = 0; n < tasks; n += 10) {
    await Promise.all(Array.from({ length: 10 }, () => read(api('POST', '/tasks', body))))
  }
}

t.test('who does not read is closed as too slow, loses nothing by it, and holds nobody up', async t => {
  const { url, connections } = await doorHere(t, server, { tickMs: 100 })
  const [slow, quick] = [await openSocket(url), await openSocket(url)]
  const since = system.bus.events.position()
  for (const socket of [slow, quick]) await socket.ask({ type: 'subscribe', channels: ['agents'], since })
  slow.ws.pause()
  while ((await connections()) > 1) await fillUp(10)
  const all = (await allOf(system.log)).filter(({ id, type }) => id > since && type.startsWith('Agent'))
  await until(() => quick.told().at(-1)?.id === all.at(-1)?.id)
  t.same(
    quick.told().map(({ id }) => id),
    all.map(({ id }) => id),
  )
  // The close frame stands behind what was not read, and the server has ended the connection.
  slow.ws.resume()
  const { code } = await slow.closed
  t.ok(code === 4008 || code === 1006, `${code}`)
  const seen = slow.told().map(({ id }) => id)
  t.ok(seen.length < all.length)
  t.same(
    seen,
    all.slice(0, seen.length).map(({ id }) => id),
  )
  const again = await openSocket(url)
  await again.ask({ type: 'subscribe', channels: ['agents'], since: seen.at(-1) ?? since })
  await until(() => again.told().at(-1)?.id === all.at(-1)?.id)
  t.same(
    [...seen, ...again.told().map(({ id }) => id)],
    all.map(({ id }) => id),
    'without a gap or a repeat',
  )
  for (const socket of [quick, again]) await socket.cut()
})

t.test('4008 reaches who reads again within the second', async t => {
  const { url, cuts } = await doorHere(t, server, { tickMs: 20 })
  const slow = await openSocket(url)
  await slow.ask({ type: 'subscribe', channels: ['agents'], since: 0 })
  slow.ws.pause()
  await until(() => slow.ws.isPaused)
  const filling = (async () => {
    while (cuts.length === 0) await fillUp(10)
  })()
  await until(() => cuts.length > 0)
  slow.ws.resume()
  t.match(await slow.closed, { code: 4008, reason: 'the reader is too slow' })
  await filling
})

t.test('long answers that nobody takes do not pile up, and who takes them gets them all', async t => {
  const script = [{ message: 'x'.repeat(900_000) }, { sleep_ms: 600_000 }]
  const long = { ...echo, client_id: 'script', agent_config: { agent_id: 'script', script } }
  const { id } = (await read(api('POST', '/tasks', { ...long, background: true }))).body.result
  await until(async () => (await read(api('GET', `/tasks/${id}`))).text.includes('"completed"'))
  t.equal((await read(api('POST', `/tasks/${id}/cancel`))).status, 200)
  const cancel = { type: 'cancel', task_id: id } // once more: the same answer, a long one
  const quick = await openSocket(url)
  const answers = await Promise.all(Array.from({ length: 100 }, () => quick.ask(cancel)))
  t.ok(answers.every(({ type, data }) => type === 'result' && data?.status === 'canceled'))
  await quick.cut()

  const slow = await openSocket(url)
  slow.ws.pause()
  const before = process.memoryUsage().rss
  for (let n = 0; n < 2000; n++) slow.say(cancel)
  await pause(500)
  t.ok(process.memoryUsage().rss - before < 300 * MiB)
  slow.ws.terminate()
})

t.test('the server has nothing to complain of', async t => {
  t.same(lines, [])
  t.equal((await read(api('GET', '/tasks?limit=1'))).status, 200)
})
