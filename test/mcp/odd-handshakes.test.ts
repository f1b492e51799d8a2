// The kind: a server begins in an odd way, or does what a client does not expect of it. Its tools can be used
// nevertheless, and if they cannot, the reason is told.
import t from 'tap'
import { openMs, patienceMs } from '../../src/mcp/limits.ts'
import { pause, until } from '../support/http.ts'
import { type RawAnswer, type RawScript, result } from './servers/raw.mjs'
import { listOf, plainTool, rawPlace, rawProcess } from './servers/raw.ts'
import { folderOf, givenMcp } from './support.ts'

const hello = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'x', version: '1' },
}
const said = (text: string): RawAnswer => ({ writes: [`${result({ content: [{ type: 'text', text }] })}\n`] })
const script = (more: RawScript): RawScript => ({
  lists: [listOf([plainTool('go')])],
  calls: { go: said('went') },
  ...more,
})

/** By name: the result of `initialize`. */
const greetings: Record<string, object> = {
  'no capabilities': { ...hello, capabilities: undefined },
  'capabilities that are null': { ...hello, capabilities: null },
  'capabilities without tools': { ...hello, capabilities: { resources: {} } },
  'tools that are true': { ...hello, capabilities: { tools: true } },
  'tools that are null': { ...hello, capabilities: { tools: null, prompts: null } },
  'odd capabilities': {
    ...hello,
    capabilities: { tools: { listChanged: 'yes' }, logging: 'on', experimental: [] },
  },
  'a version that nobody knows': { ...hello, protocolVersion: '2031-01-01' },
  'a version of another kind': { ...hello, protocolVersion: 1 },
  'no version': { ...hello, protocolVersion: null },
  'no name of the server': { ...hello, serverInfo: null },
  'a name that is null': { ...hello, serverInfo: { name: null, version: 2 } },
  'instructions that are null': { ...hello, instructions: null, _meta: null },
}
for (const [name, greeting] of Object.entries(greetings)) {
  t.test(`a server that greets with ${name} is used`, async t => {
    const greeted = script({ greeting: { writes: [`${result(greeting)}\n`] } })
    const place = await rawPlace(t, greeted)
    const http = await givenMcp(t, [place.server])
    t.equal(await http.call('s__go'), 'went', 'at a URL')
    const version = 'protocolVersion' in greeting ? greeting.protocolVersion : undefined
    const last = place.asked.at(-1)?.headers['mcp-protocol-version']
    t.equal(last, typeof version === 'string' ? version : '2025-11-25', 'it hears its own version')
    const stdio = await givenMcp(t, [rawProcess(folderOf(t), greeted)])
    t.equal(await stdio.call('s__go'), 'went', 'as a process')
  })
}

const refusing = (text: string, more: Partial<RawAnswer> = {}): RawAnswer => ({
  writes: [`${text}\n`],
  ...more,
})
/** By name: the answer to `initialize`, and what is told of it. */
const refusals: Record<string, [RawAnswer, string]> = {
  'an error': [
    refusing('{"jsonrpc":"2.0","id":"$id","error":{"code":-32001,"message":"the licence has expired"}}'),
    'answered: the licence has expired',
  ],
  'an odd error': [
    refusing('{"jsonrpc":"2.0","id":"$id","error":"the licence has expired"}'),
    'answered: the licence has expired',
  ],
  'a result that is a text': [
    refusing(result('hello')),
    'sent an answer that cannot be read: the result of "initialize" is no object',
  ],
  'status 401': [
    refusing('{"detail":"who are you?"}', { status: 401 }),
    'answered with HTTP 401: who are you?',
  ],
  'status 500': [refusing('', { status: 500 }), 'answered with HTTP 500'],
  'a page': [refusing('<h1>Sign in</h1>'), 'sent an answer that cannot be read: Sign in'],
}
for (const [name, [greeting, why]] of Object.entries(refusals)) {
  t.test(`a server that greets with ${name} cannot be used, and the reason is told`, async t => {
    const { list } = await givenMcp(t, [(await rawPlace(t, script({ greeting }))).server])
    await t.rejects(list(), { message: `the MCP server "s" ${why}` })
  })
}

t.test('a server that refuses notifications is used', async t => {
  for (const status of [400, 404, 405, 500]) {
    const place = await rawPlace(t, script({}), {
      first({ message }, response) {
        if (message.method === undefined || message.id !== undefined) return false
        response.writeHead(status).end('no')
        return true
      },
    })
    const { call } = await givenMcp(t, [place.server])
    t.equal(await call('s__go'), 'went', String(status))
  }
})

t.test('a slow server that knows only the newer version is used', async t => {
  let asked = 0
  const newer = '2026-07-28'
  const refusal = { code: -32022, message: 'Unsupported protocol version', data: { supported: [newer] } }
  const place = await rawPlace(t, script({}), {
    first({ message }, response) {
      const { id, method } = message
      const answer = (status: number, more: object) =>
        response
          .writeHead(status, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', id, ...more }))
      if (method === 'initialize') answer(400, { error: refusal })
      // Its first answer comes too late, that is never.
      if (method === 'server/discover' && ++asked > 1)
        answer(200, {
          result: {
            resultType: 'complete',
            supportedVersions: [newer],
            capabilities: { tools: {} },
            serverInfo: hello.serverInfo,
            ttlMs: 0,
            cacheScope: 'private',
          },
        })
      return method === 'initialize' || method === 'server/discover'
    },
  })
  const { list, world } = await givenMcp(t, [place.server])
  const listed = list()
  await until(() => asked === 1)
  await world.advance(patienceMs)
  t.match(await listed, [{ definition: { function: { name: 's__go' } } }])
})

t.test('a server that answers after the time for its handshake keeps no connection', async t => {
  const late = { greeted: false, ended: false }
  const place = await rawPlace(t, script({}), {
    first({ message }, response) {
      if (message.method !== 'initialize') return false
      late.greeted = true
      response.once('close', () => {
        late.ended = true
      })
      return true
    },
  })
  const { list, world } = await givenMcp(t, [place.server])
  const listed = t.rejects(list(), { message: /did not answer in 30 s/ })
  await until(() => late.greeted)
  await world.advance(openMs)
  await listed
  await until(() => late.ended)
  t.pass('the request has ended, too')
})

const noTools = (answer: RawAnswer | undefined) => ({
  ...script({ greeting: { writes: [`${result({ ...hello, capabilities: { resources: {} } })}\n`] } }),
  lists: answer === undefined ? [] : [answer],
})
t.test('a server that declares no tools, and does not know their list, has none', async t => {
  const unknown = refusing(
    '{"jsonrpc":"2.0","id":"$id","error":{"code":-32601,"message":"Method not found"}}',
  )
  for (const answer of [unknown, refusing('', { status: 400 })]) {
    const { list } = await givenMcp(t, [(await rawPlace(t, noTools(answer))).server])
    t.same(await list(), [])
  }
  const declared = script({ lists: [unknown] })
  const { list } = await givenMcp(t, [(await rawPlace(t, declared)).server])
  await t.rejects(list(), { message: 'the MCP server "s" answered: Method not found' })
})

t.test('a server that declares no tools, and never answers, has none after some seconds', async t => {
  const { list, world } = await givenMcp(t, [rawProcess(folderOf(t), noTools(undefined))])
  let isOver = false
  const listed = list().finally(() => {
    isOver = true
  })
  let waited = 0
  for (; !isOver; waited += 250) {
    await pause(20)
    await world.advance(250)
  }
  t.same(await listed, [])
  t.ok(waited < 6 * patienceMs, `${waited} ms`)
})

const asks = (method: string, params?: unknown) =>
  `${JSON.stringify({ jsonrpc: '2.0', id: `ask-${method}`, method, params })}\n`
const asking = ['ping', 'roots/list', 'sampling/createMessage', 'elicitation/create', 'odd/method'].map(
  method => asks(method, {}),
)
t.test('a server that asks us is answered, and its own answers are used', async t => {
  const answers: Record<string, unknown>[] = []
  const place = await rawPlace(
    t,
    script({
      calls: {
        go: {
          writes: [...asking.map(line => `data: ${line}\n`), `data: ${said('went').writes?.[0]}\n`],
          headers: { 'content-type': 'text/event-stream' },
        },
      },
    }),
    {
      first({ message }, response) {
        if (message.method !== undefined || message.id === undefined) return false
        answers.push(message as Record<string, unknown>)
        response.writeHead(400).end('no')
        return true
      },
    },
  )
  const { call } = await givenMcp(t, [place.server])
  t.equal(await call('s__go'), 'went')
  await until(() => answers.length === asking.length)
  t.match(
    answers.find(({ id }) => id === 'ask-ping'),
    { result: {} },
  )
  // Questions to the user are answered; this one is no question.
  const codeFor = (id: unknown) => (id === 'ask-elicitation/create' ? -32602 : -32601)
  for (const { id, error } of answers)
    if (id !== 'ask-ping') t.match(error, { code: codeFor(id) }, String(id))
  const { call: callProcess } = await givenMcp(t, [
    rawProcess(
      folderOf(t),
      script({ before: asking, calls: { go: { writes: [...asking, ...(said('went').writes ?? [])] } } }),
    ),
  ])
  t.equal(await callProcess('s__go'), 'went', 'as a process')
})

t.test('odd notifications and reports of progress harm nothing, and their words are heard', async t => {
  const notify = (method: unknown, params?: unknown) =>
    `${JSON.stringify({ jsonrpc: '2.0', method, params })}\n`
  const writes = [
    notify('notifications/progress', { progressToken: '$id', message: 'one' }).replace('"$id"', '"$id"'),
    notify('notifications/progress', { progressToken: '$id', progress: null, total: 'many', message: 'two' }),
    notify('notifications/progress', { progressToken: '$id', progress: 1, message: null }),
    notify('notifications/progress', { progressToken: 'nobody', progress: 1 }),
    notify('notifications/progress', null),
    notify('notifications/message', 'hello'),
    notify('notifications/cancelled', { requestId: 77 }),
    notify('notifications/tools/list_changed', null),
    notify('$/odd', [1]),
    ...(said('went').writes ?? []),
  ]
  for (const serve of ['a process', 'a URL']) {
    const given = script({ calls: { go: { writes } } })
    const server = serve === 'a URL' ? (await rawPlace(t, given)).server : rawProcess(folderOf(t), given)
    const { list } = await givenMcp(t, [server])
    const [tool] = await list()
    const heard: string[] = []
    const run = tool?.run({
      arguments: {},
      signal: new AbortController().signal,
      emit: (text: string) => void heard.push(text),
    } as never)
    t.same(await run, { content: 'went' }, serve)
    t.same(heard, ['one\n', 'two\n'], serve)
  }
})

const ids = (texts: string[]): RawAnswer => ({ writes: texts })
t.test('calls at the same time get their own answers, although one has another id', async t => {
  const other = (text: string) =>
    `{"jsonrpc":"2.0","id":"$other","result":${JSON.stringify({ content: [{ type: 'text', text }] })}}\n`
  const tools = ['odd', 'slow', 'late']
  const calls = {
    odd: ids([other('odd')]),
    slow: { ...said('slow'), waitMs: 150 },
    late: { ...said('late'), waitMs: 300 },
  }
  const { call, list } = await givenMcp(t, [
    rawProcess(folderOf(t), { lists: [listOf(tools.map(plainTool))], calls }),
  ])
  await list()
  t.same(await Promise.all(tools.map(tool => call(`s__${tool}`))), tools)
})

t.test('calls whose answers cannot be told apart fail with the reason', async t => {
  const wrong: RawAnswer = {
    writes: ['{"jsonrpc":"2.0","id":"$other","result":{"content":[{"type":"text","text":"x"}]}}\n'],
    waitMs: 100,
  }
  const tools = ['one', 'two']
  const { call, list } = await givenMcp(t, [
    rawProcess(folderOf(t), { lists: [listOf(tools.map(plainTool))], calls: { one: wrong, two: wrong } }),
  ])
  await list()
  const failures = await Promise.all(
    tools.map(tool => call(`s__${tool}`).catch((error: Error) => error.message)),
  )
  const why = 'the MCP server "s" sent answers whose ids are not those of the requests'
  t.same(failures, [why, why])
})

t.test('an answer that comes too late, or twice, is nobody else’s', async t => {
  const file = folderOf(t)
  const { call, list } = await givenMcp(t, [
    rawProcess(file, {
      lists: [listOf(['first', 'second'].map(plainTool))],
      calls: {
        first: { ...said('first'), waitMs: 200 },
        second: { writes: [...(said('second').writes ?? []), ...(said('twice').writes ?? [])], waitMs: 400 },
      },
    }),
  ])
  await list()
  const stop = new AbortController()
  const first = call('s__first', {}, { signal: stop.signal }).catch(() => 'stopped')
  await pause(50)
  stop.abort()
  const second = call('s__second')
  t.equal(await first, 'stopped')
  t.equal(await second, 'second')
  t.equal(await call('s__second'), 'second')
})
