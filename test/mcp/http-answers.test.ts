// The kinds: an HTTP answer that has another media type, status or form than the protocol wants, and an error that only
// the body of a refusal tells. What is there is used; whoever calls is told the reason in the words of the server.
import type { ServerResponse } from 'node:http'
import t from 'tap'
import { patienceMs } from '../../src/mcp/limits.ts'
import { pause, until } from '../support/http.ts'
import { type RawAnswer, result } from './servers/raw.mjs'
import { listOf, plainTool, rawPlace } from './servers/raw.ts'
import { givenMcp } from './support.ts'

const good = result({ content: [{ type: 'text', text: 'good' }] })
const lines = JSON.stringify(JSON.parse(good), null, 2).split('\n')
const typed = (type: string): Pick<RawAnswer, 'headers'> => ({ headers: { 'content-type': type } })
const events = typed('text/event-stream')
const json = typed('application/json')

/** By name: what a call is answered with, and the content of its result. */
const used: Record<string, [RawAnswer, string]> = {
  'JSON as a text': [{ writes: [good], ...typed('text/plain') }, 'good'],
  'JSON as an event stream': [{ writes: [good], ...events }, 'good'],
  'JSON of an odd media type': [{ writes: [good], ...typed('application/json-rpc; charset=odd') }, 'good'],
  'JSON without a media type': [{ writes: [good], headers: {} }, 'good'],
  'JSON with status 201': [{ writes: [good], status: 201 }, 'good'],
  'JSON with status 202': [{ writes: [good], status: 202 }, 'good'],
  'JSON after blanks': [{ writes: [' ', '\n \n', good] }, 'good'],
  'JSON in lines': [{ writes: ['{"jsonrpc":"2.0","method":"notifications/x"}\n', `${good}\n`] }, 'good'],
  'events as JSON': [{ writes: [`data: ${good}\n\n`], ...json }, 'good'],
  'events without a media type': [{ writes: [`event: message\ndata: ${good}\n\n`], headers: {} }, 'good'],
  'events after comments': [{ writes: [': ping\n\n', ':\n\n', `data: ${good}\n\n`], ...events }, 'good'],
  'events after empty data': [
    { writes: ['data:\n\ndata: \n\nid: 1\ndata:\n\n', `data: ${good}\n\n`], ...events },
    'good',
  ],
  'an event of another name': [{ writes: [`event: response\ndata: ${good}\n\n`], ...events }, 'good'],
  'an event of many lines': [
    { writes: [`${lines.map(line => `data: ${line}`).join('\n')}\n\n`], ...events },
    'good',
  ],
  'an event whose later lines lack their field': [
    { writes: [`data: ${lines.join('\n')}\n\n`], ...events },
    'good',
  ],
  'an event without a blank': [{ writes: [`data:${good}\n\n`], ...events }, 'good'],
  'an event without its end': [{ writes: [`data: ${good}`], ...events }, 'good'],
  'an event without its end on a stream that breaks': [
    { writes: [`data: ${good}\n`], end: 'break', ...events },
    'good',
  ],
  'events with carriage returns': [{ writes: [`: hi\r\rdata: ${good}\r\r`], ...events }, 'good'],
  'events with CRLF in pieces': [{ writes: [`id: 7\r\ndata: ${good}\r`, '\n\r', '\n'], ...events }, 'good'],
  'events with a byte order mark': [{ writes: [`\uFEFFdata: ${good}\n\n`], ...events }, 'good'],
  'events and [DONE]': [{ writes: [`data: ${good}\n\ndata: [DONE]\n\n`], ...events }, 'good'],
}

/** By name: what a call is answered with, and the reason of its failure. */
const refused: Record<string, [RawAnswer, string]> = {
  'status 202 and nothing': [{ status: 202 }, 'answered with HTTP 202 and no content'],
  'status 204': [{ status: 204 }, 'answered with HTTP 204 and no content'],
  'status 200 and nothing': [{}, 'answered with HTTP 200 and no content'],
  'blanks alone': [{ writes: ['  \n'] }, 'answered with HTTP 200 and no content'],
  'a page': [
    {
      writes: [
        '<!doctype html><head><title>Sign in</title><style>a{b:c}</style></head><p>Please &amp; thanks',
      ],
      ...typed('text/html'),
    },
    'sent an answer that cannot be read: Sign in Please & thanks',
  ],
  'a text': [
    { writes: ['upstream timeout'], ...typed('text/plain') },
    'sent an answer that cannot be read: upstream timeout',
  ],
  'JSON that is no message': [
    { writes: ['{"detail":"Sign in first"}'] },
    'sent an answer that cannot be read: Sign in first',
  ],
  'an event that is no message': [
    { writes: ['event: message\ndata: {"error":"Session not found"}\n\n'], ...events },
    'sent an answer that cannot be read: Session not found',
  ],
  'a list of nothing': [{ writes: ['[]'] }, 'sent an answer that cannot be read: []'],
  'JSON that breaks off': [
    { writes: ['{"jsonrpc":"2.0","id":"$id","result":{'], end: 'break' },
    'sent an answer that cannot be read: {"jsonrpc":"2.0","id":',
  ],
  'events that end without an answer': [{ writes: [': hi\n\n'], ...events }, 'broke its answer off'],
  'notifications alone': [
    { writes: ['data: {"jsonrpc":"2.0","method":"notifications/x"}\n\n'], ...events },
    'broke its answer off',
  ],
}

/** By name: the status and the body of a refusal, and what is told of it. */
const refusals: Record<string, [number, string, string]> = {
  'an error of JSON-RPC': [
    400,
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no such tool"}}',
    ': no such tool',
  ],
  'an error that is a text': [403, '{"error":"the quota is used up"}', ': the quota is used up'],
  'an error with a message': [500, '{"error":{"type":"x","message":"out of memory"}}', ': out of memory'],
  'an error of OAuth': [
    401,
    '{"error":"invalid_token","error_description":"the token has expired"}',
    ': the token has expired',
  ],
  'a detail': [404, '{"detail":"Not Found"}', ': Not Found'],
  'a list of details': [
    422,
    '{"detail":[{"loc":["body"],"msg":"field required"},{"msg":"too long"}]}',
    ': field required; too long',
  ],
  'a problem': [409, '{"type":"about:blank","title":"Conflict","status":409}', ': Conflict'],
  'a list of errors': [400, '{"errors":[{"message":"one"},{"message":"two"}]}', ': one; two'],
  'a text in JSON': [500, '"sorry"', ': sorry'],
  'JSON without words': [500, '{"ok":false}', ': {"ok":false}'],
  'an empty object': [500, '{}', ''],
  null: [500, 'null', ''],
  'a text': [503, 'upstream connect error\nreset', ': upstream connect error reset'],
  'a page': [
    502,
    '<html>\r\n<head><title>502 Bad Gateway</title><script>alert(1)</script></head>\r\n<body><h1>nginx</h1></body></html>',
    ': 502 Bad Gateway nginx',
  ],
  'an XML document': [
    500,
    '<?xml version="1.0"?><Error><Message>Access denied</Message></Error>',
    ': Access denied',
  ],
  nothing: [504, '', ''],
  'a secret': [401, 'the key sEcReT-key is wrong', ': the key *** is wrong'],
}

const scriptOf = (rows: Record<string, RawAnswer>) => ({
  lists: [listOf(Object.keys(rows).map(plainTool))],
  calls: rows,
})
const answersOf = (rows: Record<string, [RawAnswer, string]>) =>
  Object.fromEntries(Object.entries(rows).map(([name, [answer]]) => [name, answer]))

const calling = async (t: Test, rows: Record<string, RawAnswer>, headers: Record<string, string> = {}) => {
  const place = await rawPlace(t, scriptOf(rows))
  const mcp = await givenMcp(t, [{ ...place.server, headers } as typeof place.server])
  const tools = await mcp.list()
  const nameOf = new Map(Object.keys(rows).map((name, n) => [name, tools[n]?.definition.function.name ?? '']))
  return { ...mcp, asked: place.asked, callOf: (name: string) => mcp.call(nameOf.get(name) ?? '') }
}
type Test = Parameters<typeof givenMcp>[0]
const wordsOf = (work: Promise<unknown>) =>
  work.then(
    content => `it answered ${JSON.stringify(content)}`,
    (error: Error) => error.message,
  )

t.test('an answer of any media type and form is used', async t => {
  const { callOf } = await calling(t, answersOf(used))
  for (const [name, [, content]] of Object.entries(used))
    t.equal(await callOf(name).catch(String), content, name)
})

t.test('an answer without a result is a failure at once, with the reason', async t => {
  const { callOf } = await calling(t, answersOf(refused))
  for (const [name, [, reason]] of Object.entries(refused)) {
    const words = await wordsOf(callOf(name))
    t.ok(words.startsWith(`the MCP server "s" ${reason}`), `${name}: ${words}`)
  }
})

t.test('a refusal is told in the words of its body, and the connection stays open', async t => {
  const rows = Object.entries(refusals).map(([name, [status, body]]): [string, RawAnswer] => [
    name,
    { status, writes: [body] },
  ])
  const { callOf, asked } = await calling(t, Object.fromEntries(rows), { 'X-Key': 'sEcReT-key' })
  const before = asked.length
  for (const [name, [status, , words]] of Object.entries(refusals)) {
    const told = await wordsOf(callOf(name))
    t.equal(told, `the MCP server "s" answered with HTTP ${status}${words}`, name)
    t.notMatch(told, /undefined|null|\[object/)
  }
  t.equal(asked.length - before, rows.length, 'one request for each call')
})

t.test('a refusal whose body never ends is told nevertheless', async t => {
  const { callOf, world } = await calling(t, {
    stuck: { status: 500, writes: ['out of memory'], end: 'keep' },
  })
  const told = wordsOf(callOf('stuck'))
  let isOver = false
  void told.then(() => {
    isOver = true
  })
  while (!isOver) {
    await pause(20)
    await world.advance(patienceMs)
  }
  t.equal(await told, 'the MCP server "s" answered with HTTP 500: out of memory')
})

t.test('an answer on the stream that is always open is used, and awaited for some seconds', async t => {
  let stream: ServerResponse | undefined
  const ids: unknown[] = []
  const place = await rawPlace(
    t,
    { lists: [listOf([plainTool('late')])], calls: {} },
    {
      first({ method, message }, response) {
        if (method === 'GET') {
          stream = response.writeHead(200, { 'content-type': 'text/event-stream' })
          stream.flushHeaders()
          return true
        }
        if (message.method !== 'tools/call') return false
        ids.push(message.id)
        response.writeHead(202).end()
        return true
      },
    },
  )
  const { call, list, world } = await givenMcp(t, [place.server])
  await list()
  await until(() => stream !== undefined)
  const answered = call('s__late')
  await until(() => ids.length === 1)
  stream?.write(`data: ${good.replace('"$id"', String(ids[0]))}\n\n`)
  t.equal(await answered, 'good')
  const unanswered = wordsOf(call('s__late'))
  await until(() => ids.length === 2)
  await pause(50)
  await world.advance(patienceMs)
  t.equal(await unanswered, 'the MCP server "s" answered with HTTP 202 and no content')
})

t.test('a stream that breaks off goes on where it was, when its events have ids', async t => {
  const resumed: unknown[] = []
  const place = await rawPlace(
    t,
    {
      lists: [listOf([plainTool('long')])],
      calls: { long: { writes: ['id: 7\nretry: 1000\ndata:\n\n'], ...events, end: 'break' } },
    },
    {
      first({ method, headers }, response) {
        const from = headers['last-event-id']
        if (method !== 'GET' || from === undefined) return false
        resumed.push(from)
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.end(`data: ${good.replace('"$id"', '2')}\n\n`)
        return true
      },
    },
  )
  const { call } = await givenMcp(t, [place.server])
  t.equal(await call('s__long'), 'good')
  t.same(resumed, ['7'])
})
