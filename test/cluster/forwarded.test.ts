// What a standby sends on reaches the owner as the client sent it, and the answer comes back as the owner gave it.
import type { IncomingMessage, ServerResponse } from 'node:http'
import tap, { type Test } from 'tap'
import { bodyOf, exchange, type Node, nodeHere, pairHere } from './nodes-here.ts'

type Seen = { method: string | undefined; url: string | undefined; headers: string[]; body: string }

/** Headers of a connection, and those that say how the body is sent. */
const ofConnection = /^(connection|keep-alive|te|upgrade|expect|proxy-|x-forwarded-for$)/i

/** Headers as lines, without those of the connection. */
const linesOf = (rawHeaders: string[]): string[] =>
  rawHeaders
    .flatMap((name, n) => (n % 2 === 0 ? [[name, rawHeaders[n + 1]]] : []))
    .filter(([name = '']) => !ofConnection.test(name))
    .map(([name, value]) => `${name}: ${value}`)

const recordingPair = async (
  t: Test,
  answer = (_: IncomingMessage, response: ServerResponse) => void response.end('ok'),
) => {
  const seen: Seen[] = []
  const request = async (message: IncomingMessage, response: ServerResponse) => {
    const { method, url, rawHeaders } = message
    const body = (await bodyOf(message)).toString('latin1')
    seen.push({ method, url, headers: linesOf(rawHeaders), body })
    answer(message, response)
  }
  const { owner, standby } = await pairHere(t, {
    request: (message, response) => void request(message, response),
  })
  return { owner, standby, seen }
}

const head = (first: string, ...lines: string[]) => `${[first, ...lines].join('\r\n')}\r\n\r\n`
const post = (...lines: string[]) => head('POST /v1/tasks HTTP/1.1', 'Host: x', 'Connection: close', ...lines)

const requests: Record<string, string> = {
  'a plain GET': head('GET /v1/tasks?limit=2 HTTP/1.1', 'Host: example.test:81', 'Connection: close'),
  'headers twice, in odd spelling and order': head(
    'GET / HTTP/1.1',
    'X-b: 1',
    'host: x',
    'x-A: 1',
    'X-B: 2',
    'Cookie: a=1',
    'x-a: 3',
    'cookie: b=2',
    'Connection: close',
  ),
  'empty and odd values': head(
    'GET / HTTP/1.1',
    'Host: x',
    'Empty:',
    'Spaces:    a   b   ',
    'Latin: caf\xe9 \xff',
    'Commas: a,,b,"c,d"',
    'Connection: close',
  ),
  'odd paths': head(
    'GET /v1/%2F%2f..//a/./b%00;x=[1]{2}|^`"<>?q=%C3%A9&&=?#f HTTP/1.1',
    'Host: x',
    'Connection: close',
  ),
  'a whole URL as the path': head('GET http://other.test/v1/tasks HTTP/1.1', 'Host: x', 'Connection: close'),
  'OPTIONS of everything': head('OPTIONS * HTTP/1.1', 'Host: x', 'Connection: close'),
  'an unusual method': head('PROPFIND /a HTTP/1.1', 'Host: x', 'Content-Length: 0', 'Connection: close'),
  'a DELETE with a body': `${head('DELETE /a HTTP/1.1', 'Host: x', 'Content-Length: 3', 'Connection: close')}abc`,
  'a GET with a body': `${head('GET /a HTTP/1.1', 'Host: x', 'Content-Length: 3', 'Connection: close')}abc`,
  'a GET with chunks': `${head('GET /a HTTP/1.1', 'Host: x', 'Transfer-Encoding: chunked', 'Connection: close')}3\r\nabc\r\n0\r\n\r\n`,
  'a POST with a length': `${post('Content-Type: application/json', 'Content-Length: 2')}{}`,
  'a POST with chunks': `${post('Transfer-Encoding: chunked')}1\r\na\r\n2;ext=1\r\nbc\r\n0\r\n\r\n`,
  'a POST with odd values': `${post('Latin: caf\xe9', 'Content-Length: 2')}\xe9\xff`,
  'a POST with an empty body': post('Content-Length: 0'),
  'a POST with no chunk': `${post('Transfer-Encoding: chunked')}0\r\n\r\n`,
  'a POST that expects a 100': `${post('Expect: 100-continue', 'Content-Length: 3')}abc`,
  'a POST that expects something else': `${post('Expect: tea', 'Content-Length: 3')}abc`,
  'headers of proxies': head(
    'GET / HTTP/1.1',
    'Host: x',
    'X-Forwarded-For: 192.0.2.1',
    'Via: 1.1 a',
    'Connection: close',
  ),
  'large headers': head('GET / HTTP/1.1', 'Host: x', `Large: ${'x'.repeat(12_000)}`, 'Connection: close'),
  'many headers': head(
    'GET / HTTP/1.1',
    'Host: x',
    ...Array.from({ length: 500 }, (_, n) => `H${n}: ${n}`),
    'Connection: close',
  ),
  'the old version of HTTP': head('GET /a HTTP/1.0', 'Host: x'),
}

tap.test('a request reaches the owner as it would have come from the client itself', async t => {
  const { owner, standby, seen } = await recordingPair(t)
  for (const [name, bytes] of Object.entries(requests)) {
    const sent = Buffer.from(bytes, 'latin1')
    const direct = await exchange(owner.port, sent)
    const proxied = await exchange(standby.port, sent)
    const [first, second] = seen.splice(0)
    t.ok(first, name)
    t.same(second, first, name)
    t.match(proxied, /^HTTP\/1.1 (100 Continue\r\n\r\nHTTP\/1.1 )?200 OK\r\n/, name)
    t.equal(proxied.endsWith('ok'), direct.endsWith('ok'), name)
  }
})

tap.test('a POST without any length of its body reaches the owner without a body', async t => {
  const { standby, seen } = await recordingPair(t)
  await exchange(standby.port, post())
  t.match(seen, [{ method: 'POST', headers: ['content-length: 0', 'Host: x'], body: '' }])
})

tap.test('headers of the connection do not pass, and no client can take needed ones away', async t => {
  const { standby, seen } = await recordingPair(t)
  const named = 'Connection: close, X-Mine, Content-Length, Host, Transfer-Encoding'
  const lines = [
    'Host: x',
    named,
    'X-Mine: 1',
    'TE: trailers',
    'Keep-Alive: 5',
    'Proxy-Authorization: a',
    'X-Kept: 1',
  ]
  await exchange(standby.port, `${head('POST / HTTP/1.1', ...lines, 'Content-Length: 3')}abc`)
  t.same(seen, [
    { method: 'POST', url: '/', headers: ['Host: x', 'X-Kept: 1', 'Content-Length: 3'], body: 'abc' },
  ])
})

tap.test('the owner learns the address of the client, behind those that the client names', async t => {
  const { standby } = await pairHere(t, {
    request: (message, response) => response.end(JSON.stringify(message.headers['x-forwarded-for'])),
  })
  const answer = await exchange(standby.port, requests['headers of proxies'] ?? '')
  t.match(answer, /"192\.0\.2\.1, 127\.0\.0\.1"$/)
})

const date = 'Mon, 01 Jan 2029 00:00:00 GMT'
const answers: Record<string, (response: ServerResponse) => void> = {
  'a body with a length': response => response.writeHead(200, { 'Content-Length': 2, date }).end('ab'),
  chunks: response => {
    response.writeHead(200, { date }).write('a')
    response.end('b')
  },
  'an empty answer (204)': response => response.writeHead(204, { date }).end(),
  'an unchanged page (304)': response => response.writeHead(304, { etag: '"1"', date }).end(),
  'a 304 with a length': response => response.writeHead(304, { 'content-length': 70, date }).end(),
  'headers twice': response =>
    response
      .writeHead(201, ['Set-Cookie', 'a=1', 'X-A', '1', 'set-cookie', 'b=2', 'x-a', '', 'Date', date])
      .end('x'),
  'words of its own': response =>
    response.writeHead(299, 'Quite good', { date, latin: 'caf\xe9' }).end(Buffer.from('x')),
  'large headers': response => response.writeHead(200, { date, large: 'x'.repeat(30_000) }).end('x'),
  'an error': response => response.writeHead(422, { date, 'content-length': 2 }).end('{}'),
}

/** An answer without what belongs to the connection, and without the form of its body. */
const core = (answer: string): string =>
  answer
    .replace(/^(connection|keep-alive|transfer-encoding):.*\r\n/gim, '')
    .replace(/\r\n\r\n(\w+\r\n)?/, '\r\n\r\n')

tap.test('an answer reaches the client as the owner gave it', async t => {
  const { owner, standby } = await pairHere(t, {
    request: ({ url = '' }, response) => answers[decodeURIComponent(url.slice(1))]?.(response),
  })
  for (const name of Object.keys(answers)) {
    for (const method of ['GET', 'HEAD']) {
      for (const version of ['1.1', '1.0']) {
        const sent = head(
          `${method} /${encodeURIComponent(name)} HTTP/${version}`,
          'Host: x',
          'Connection: close',
        )
        const direct = await exchange(owner.port, sent)
        t.equal(core(await exchange(standby.port, sent)), core(direct), `${method} ${version}: ${name}`)
      }
    }
  }
})

tap.test('requests that are sent without waiting get their answers in order', async t => {
  const { standby } = await pairHere(t, {
    request({ url }, response) {
      const late = url === '/1' ? setImmediate : (job: () => void) => job()
      late(() => response.end(url))
    },
  })
  const all = [1, 2, 3].map(n =>
    head(`GET /${n} HTTP/1.1`, 'Host: x', ...(n === 3 ? ['Connection: close'] : [])),
  )
  const answer = await exchange(standby.port, all.join(''))
  t.same(
    [...answer.matchAll(/\/(\d)(?=\r\n|HTTP|$)/g)].map(([, n]) => n),
    ['1', '2', '3'],
  )
})

/** What a node's handler sees of headers that only nodes may send. */
const insideSeen = async (t: Test, send: (owner: Node, standby: Node) => Promise<string>) => {
  const owner = await nodeHere(t, {
    name: 'a',
    owner: 'me',
    request: ({ headers, rawHeaders, headersDistinct }, response) =>
      response.end(JSON.stringify([Object.keys(headers), rawHeaders, Object.keys(headersDistinct)])),
  })
  const standby = await nodeHere(t, { name: 'b', owner: { url: owner.url } })
  const answer = await send(owner, standby)
  t.match(answer, /^HTTP\/1.1 200/)
  t.match(answer, /x-kept/)
  t.notMatch(answer, /reprise-/i)
}
const forged = head(
  'GET / HTTP/1.1',
  'Host: x',
  'Reprise-Hop: a 1 b c',
  'REPRISE-node: a',
  'x-kept: 1',
  'Connection: close',
)

tap.test('headers of nodes that a client sends reach nobody', async t => {
  await insideSeen(t, owner => exchange(owner.port, forged))
  await insideSeen(t, (_, standby) => exchange(standby.port, forged.replace(/Reprise-Hop.*\r\n/, '')))
  await insideSeen(t, (_, standby) =>
    exchange(standby.port, head('GET / HTTP/1.1', 'Host: x', 'x-kept: 1', 'Connection: close')),
  )
})

tap.test('a standby sends no request on that has come from another node, or pretends to', async t => {
  const { owner, standby } = await pairHere(t)
  const signed = (value: string) =>
    head('GET /a HTTP/1.1', 'Host: x', `reprise-hop: ${value}`, 'Connection: close')
  const { text } = owner.hops.sign({ method: 'GET', path: '/a' })
  for (const [value, why] of [
    [text, /another node has sent the request here already/],
    [text, /a signature of a node that is repeated/],
    ['a 1800000000000 x y', /a signature of a node that is forged/],
  ] as const) {
    const answer = await exchange(standby.port, signed(value))
    t.match(answer, /^HTTP\/1.1 508 /)
    t.match(answer, /retry-after: 1\r\n/)
    t.match(JSON.parse(answer.split('\r\n\r\n')[1] ?? ''), { code: -32603, message: why })
  }
})

tap.test(
  'two nodes that each take the other one for the owner do not send a request round and round',
  async t => {
    const a = await nodeHere(t, { name: 'a', holdMs: 300 })
    const b = await nodeHere(t, { name: 'b', owner: { url: a.url }, holdMs: 300 })
    a.become({ url: b.url })
    t.match(await exchange(a.port, requests['a plain GET'] ?? ''), /^HTTP\/1.1 503 /)
  },
)
