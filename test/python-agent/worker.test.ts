// Workers in Python over a real WebSocket, against a peer that plays the server.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import { type WebSocket, WebSocketServer } from 'ws'
import { beginOf, createInbox, type Message, nextFor, noPython, python, startPython } from './peer.ts'

const skip = noPython
const program = path.resolve('test/python-agent/worker.py')

type Link = ReturnType<typeof linkOf>
const linkOf = (socket: WebSocket, request: IncomingMessage) => {
  const inbox = createInbox()
  socket.on('message', (data, isBinary) => inbox.put(isBinary ? { binary: true } : JSON.parse(`${data}`)))
  const closed = once(socket, 'close').then(([code]) => code as number)
  return {
    ...inbox,
    send: (message: Message) => socket.send(JSON.stringify(message)),
    socket,
    request,
    closed,
  }
}

/** A server whose connections the test takes one by one. `judge`: a status that refuses the upgrade. */
const serverOf = async (
  t: Test,
  judge: (request: IncomingMessage) => number | undefined = () => undefined,
  tls?: { key: string; cert: string },
) => {
  const refuse: RequestListener = (_request, response) => response.writeHead(426).end()
  const server = tls ? createSecureServer(tls, refuse) : createServer(refuse)
  const sockets = new WebSocketServer({ noServer: true })
  const links: Link[] = []
  const takers: ((link: Link) => void)[] = []
  server.on('upgrade', (request, socket, head) => {
    const status = judge(request)
    if (status !== undefined) {
      const body = JSON.stringify({ error: { code: -1, message: 'the token has the role user' } })
      socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
      return
    }
    sockets.handleUpgrade(request, socket, head, opened => {
      const link = linkOf(opened, request)
      const taker = takers.shift()
      if (taker) taker(link)
      else links.push(link)
    })
  })
  server.listen(0, tls ? 'localhost' : '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const socket of sockets.clients) socket.terminate()
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: tls ? `https://localhost:${port}` : `http://127.0.0.1:${port}`,
    /** The next connection. */
    taken: () =>
      new Promise<Link>(resolve => {
        const link = links.shift()
        if (link) resolve(link)
        else takers.push(resolve)
      }),
  }
}

const startWorker = (t: Test, url: string, options: Message = {}, variables: Record<string, string> = {}) => {
  const { child, errors } = startPython(t, [program, url, 'secret', JSON.stringify(options)], { variables })
  const said: string[] = []
  if (child.stdout) createInterface({ input: child.stdout }).on('line', line => said.push(line))
  return { child, errors, said, ended: once(child, 'exit') }
}
const until = async (isSo: () => boolean): Promise<void> => {
  for (const end = Date.now() + 60_000; !isSo(); await new Promise(resolve => setTimeout(resolve, 10)))
    if (Date.now() > end) throw new Error(`not so after 60 s: ${isSo}`)
}
/** Takes the hello of a connection, and welcomes all agents. */
const welcome = async (link: Link): Promise<Message> => {
  const hello = await link.next()
  link.send({ type: 'welcome', agents: hello.agents.map(({ name }: Message) => name), refused: [] })
  return hello
}
const result = (n: number, value: unknown): Message => ({ n, at: 2000, value })

t.test('a worker says who it is, and serves a task', { skip }, async t => {
  const { url, taken } = await serverOf(t)
  const worker = startWorker(t, `${url}/v1`, { name: 'w1', slots: 3, version: 'blue' })
  const link = await taken()
  t.equal(link.request.url, '/v1/workers')
  t.equal(link.request.headers.authorization, 'Bearer secret')
  const hello = await welcome(link)
  t.match(hello, { type: 'hello', protocol: 1, name: 'w1', slots: 3 })
  t.match(
    hello.agents.map(({ name, version }: Message) => [name, version]),
    [
      ['programs', 'blue'],
      ['ways', 'blue'],
      ['large', '7'],
      ['waits', 'blue'],
      ['talks', 'blue'],
    ],
  )
  const begin = beginOf('programs', { config: { program: ['all', ['tool', 'a'], ['tool', 'b']] } })
  const { lease } = begin
  link.send(begin)
  t.match(await nextFor(link, lease), { type: 'turn', seen: 0, moves: [{ n: 1 }, { n: 2 }] })
  link.send({ type: 'results', lease, results: [result(2, { text: 'B' }), result(1, { text: 'A' })] })
  t.match(await nextFor(link, lease), { seen: 2, outcome: { answer: ['A', 'B'] } })
  t.same(worker.said.slice(1), [], 'only what the file prints')
  const strange = beginOf('unknown')
  link.send(strange)
  t.match(await nextFor(link, strange.lease), { type: 'release', reason: 'the host has no such agent' })
})

t.test('a version is the digest of the file, if nobody names one', { skip }, async t => {
  const { url, taken } = await serverOf(t)
  startWorker(t, url)
  const { agents, name, slots } = await welcome(await taken())
  t.match(agents[0].version, /^[0-9a-f]{16}$/)
  t.not(agents[0].version, agents[1].version)
  t.match([name, slots], [/-\d+$/, 16])
})

t.test('what is refused for good is an exception', { skip }, async t => {
  for (const [status, said] of [
    [401, /^PermissionError: 127\.0\.0\.1:\d+ answered 401: the token has the role user$/],
    [403, /^PermissionError: .* 403/],
    [404, /^ValueError: .*answered 404.*must be the address of a Reprise server/],
  ] as const) {
    const { url } = await serverOf(t, () => status)
    const worker = startWorker(t, url)
    await worker.ended
    t.match(worker.said.at(-1), said)
  }
  for (const [url, options, said] of [
    ['localhost:8080', {}, /^ValueError: the url must be/],
    ['http://localhost', { slots: 0 }, /^ValueError: slots must be/],
    ['http://localhost', { slots: 10_001 }, /^ValueError: slots must be a whole number from 1 to 10000/],
    ['http://localhost', { name: 'x'.repeat(129) }, /^ValueError: the name of a worker/],
  ] as const) {
    const worker = startWorker(t, url, options)
    await worker.ended
    t.match(worker.said.at(-1), said)
  }
  const { url, taken } = await serverOf(t)
  const worker = startWorker(t, url)
  const link = await taken()
  const { agents } = await link.next()
  const refused = agents.map(({ name }: Message) => ({ name, reason: 'it is built in' }))
  link.send({ type: 'welcome', agents: ['ways'], refused: refused.slice(0, 1) })
  await until(() => worker.errors().includes('has refused agents: programs: it is built in'))
  link.socket.close(1012, 'restarts')
  await until(() => worker.errors().includes('closed it with 1012 restarts; trying again in'))
  const again = await taken()
  await again.next()
  again.send({ type: 'welcome', agents: [], refused })
  // The server had taken the worker before, so a refusal may pass.
  await until(() =>
    /has refused all agents: programs: it is built in; .*trying again in/.test(worker.errors()),
  )
  await taken()
})

t.test('a token that is refused later is tried again, and the worker says so', { skip }, async t => {
  let status: number | undefined
  const { url, taken } = await serverOf(t, () => status)
  const worker = startWorker(t, url)
  const link = await taken()
  await welcome(link)
  status = 401
  link.socket.close(4001, 'no valid token')
  await until(() => /answered 401: the token has the role user; trying again in/.test(worker.errors()))
  status = undefined
  await welcome(await taken())
})

t.test('agents that are all refused at first are an exception', { skip }, async t => {
  const { url, taken } = await serverOf(t)
  const worker = startWorker(t, url)
  const link = await taken()
  const { agents } = await link.next()
  const refused = agents.map(({ name }: Message) => ({ name, reason: 'it is built in' }))
  link.send({ type: 'welcome', agents: [], refused })
  await worker.ended
  t.match(worker.said.at(-1), /^PermissionError: .* has refused all agents: programs: it is built in; ways/)
})

const noOpenssl =
  skip ||
  (spawnSync('openssl', ['version']).status === 0
    ? false
    : 'openssl is not there, which makes the certificate')

t.test('over TLS, whose certificate must be good', { skip: noOpenssl }, async t => {
  const folder = t.testdir()
  const [key, cert] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')]
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', cert]
  t.equal(spawnSync('openssl', [...made, ...name]).status, 0)
  const { url, taken } = await serverOf(t, undefined, {
    key: readFileSync(key, 'utf8'),
    cert: readFileSync(cert, 'utf8'),
  })
  const stranger = startWorker(t, url)
  await stranger.ended
  t.match(stranger.said.at(-1), /^SSLCertVerificationError: /)
  startWorker(t, url, {}, { SSL_CERT_FILE: cert })
  const link = await taken()
  await welcome(link)
  const begin = beginOf('large')
  link.send(begin)
  t.match(await nextFor(link, begin.lease), { moves: [{ do: 'tool', name: 'large' }] })
})

t.test('while the server is away, it tries again; a lost connection ends its leases', { skip }, async t => {
  let tries = 0
  const { url, taken } = await serverOf(t, () => (++tries < 3 ? 503 : undefined))
  const worker = startWorker(t, url)
  const link = await taken()
  t.equal(tries, 3)
  await welcome(link)
  const begin = beginOf('waits')
  link.send(begin)
  await nextFor(link, begin.lease)
  link.send({ type: 'run', lease: begin.lease, n: 1 })
  await until(() => worker.said.includes('effect begins'))
  link.socket.terminate()
  await until(() => worker.said.includes('effect ends'))
  const next = await taken()
  await welcome(next)
  next.send({ ...begin, lease: 'l_new', entries: [], results: [] })
  t.match(await next.next(), { type: 'turn', lease: 'l_new', seen: 0, moves: [{ do: 'run' }] })
})

t.test('a connection on which nothing comes any more is cut', { skip }, async t => {
  const { url, taken } = await serverOf(t)
  const worker = startWorker(t, url, { _silence: 0.6 })
  const link = await taken()
  await welcome(link)
  let pings = 0
  link.socket.on('ping', () => pings++)
  await until(() => pings >= 4)
  t.notMatch(worker.errors(), /trying again/, 'answered pings keep it')
  link.socket.pause()
  await taken()
})

t.test('messages of any size, in fragments, between pings', { skip }, async t => {
  const { url, taken } = await serverOf(t)
  startWorker(t, url)
  const link = await taken()
  await welcome(link)
  const begin = beginOf('large')
  const { lease } = begin
  link.send(begin)
  await nextFor(link, lease)
  const large = `${'ä€😀'.repeat(300_000)}!`
  const bytes = Buffer.from(JSON.stringify({ type: 'results', lease, results: [result(1, { text: large })] }))
  const pongs: string[] = []
  link.socket.on('pong', data => pongs.push(`${data}`))
  for (let at = 0; at < bytes.length; at += 100_001) {
    link.socket.send(bytes.subarray(at, at + 100_001), { fin: at + 100_001 >= bytes.length, binary: false })
    link.socket.ping(`p${at}`)
  }
  const turn = await nextFor(link, lease)
  t.match(turn.moves, [{ do: 'say', text: `${[...large].length} !` }])
  t.ok(turn.outcome.answer === large)
  t.equal(pongs.length, Math.ceil(bytes.length / 100_001))
  link.socket.send(Buffer.from([0xff, 0xfe]), { binary: false })
  t.equal(await link.closed, 1007)
  for (const strange of ['{', '{"type":"begin"}']) {
    const other = await taken()
    await welcome(other)
    other.socket.send(strange)
    t.equal(await other.closed, 1002)
  }
  const next = await taken()
  await welcome(next)
  next.socket.send('x'.repeat((16 << 20) + 1))
  t.equal(await next.closed, 1009)
})

t.test('what the server does not take yet waits in the worker', { skip, timeout: 300_000 }, async t => {
  const { url, taken } = await serverOf(t)
  startWorker(t, url, { _silence: 100 })
  const link = await taken()
  await welcome(link)
  const begin = beginOf('talks')
  const { lease } = begin
  link.send(begin)
  let said = 0
  for (;;) {
    const { moves, outcome } = await nextFor(link, lease)
    for (const move of moves) {
      if (move.do === 'say') said++
      else {
        link.socket.pause()
        await new Promise(resolve => setTimeout(resolve, 50))
        link.socket.resume()
        link.send({ type: 'results', lease, results: [result(move.n, { text: '' })] })
      }
    }
    if (outcome) break
  }
  t.equal(said, 120, 'each text is said in two parts')
})

const noUvloop =
  skip ||
  (spawnSync(python, ['-c', 'import uvloop']).status === 0 ? false : 'the python3 on PATH has no uvloop')
for (const [about, options, why] of [
  ['a busy application changes nothing', { _busy: true }, skip],
  ['nor does another event loop', { _busy: true, _uvloop: true }, noUvloop],
] as const)
  t.test(about, { skip: why }, async t => {
    const { url, taken } = await serverOf(t)
    startWorker(t, url, options)
    const link = await taken()
    await welcome(link)
    const inner = [
      'all',
      ['seq', ['return', 1], ['tool', 'a'], ['tool', 'b']],
      ['queue', ['tool', 'c'], ['tool', 'd']],
    ]
    const begin = beginOf('programs', { config: { program: inner } })
    const { lease } = begin
    link.send(begin)
    t.match((await nextFor(link, lease)).moves, [{ name: 'a' }, { name: 'c' }, { name: 'd' }])
    link.send({ type: 'results', lease, results: [result(3, { text: 'D' }), result(1, { text: 'A' })] })
    t.match((await nextFor(link, lease)).moves, [
      { n: 4, do: 'say', text: 'got D' },
      { n: 5, name: 'b' },
    ])
  })

t.test('at SIGTERM runs end, and leases are handed back', { skip }, async t => {
  const { url, taken } = await serverOf(t)
  const worker = startWorker(t, url)
  const link = await taken()
  await welcome(link)
  const running = beginOf('waits')
  const stored = beginOf('waits')
  const waiting = beginOf('programs', { config: { program: ['message'] } })
  for (const begin of [running, stored, waiting]) {
    link.send(begin)
    await nextFor(link, begin.lease)
  }
  link.send({ type: 'run', lease: running.lease, n: 1 })
  await until(() => worker.said.includes('effect begins'))
  worker.child.kill('SIGTERM')
  t.same(await link.next(), { type: 'stopping' })
  t.match(await link.next(), { type: 'release', lease: waiting.lease })
  // The server has stored this run, and tells the worker to begin before it hears of the end: it is done too.
  link.send({ type: 'run', lease: stored.lease, n: 1 })
  const late = beginOf('waits')
  link.send(late)
  t.match(await link.next(), { type: 'release', lease: late.lease, reason: 'the host stops' })
  for (const { lease } of [running, stored]) {
    t.match(await link.next(), { type: 'turn', lease, moves: [{ do: 'ran', of: 1, value: 'done' }] })
    t.match(await link.next(), { type: 'release', lease })
  }
  t.equal(await link.closed, 1000)
  await worker.ended
  t.equal(worker.child.exitCode, 0)
  t.equal(worker.said.at(-1), 'served')
})
