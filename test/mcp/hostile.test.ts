// Servers that hang, lie, flood and die cost their own task a failure, and nobody anything else.
import type { ServerResponse } from 'node:http'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import type { McpServer } from '../../src/mcp/server.ts'
import { until } from '../support/http.ts'
import { listen } from './servers/http.ts'
import { folderOf, givenMcp, isAlive, linesOf, placeServer, processServer } from './support.ts'

const failsToList: Record<string, string> = {
  gone: 'closed the connection',
  garbage: 'sent an answer that cannot be read: the result of "initialize" is no object',
  flood: 'sent more than 10 MiB without an answer',
  'endless line': 'sent more than 10 MiB without an answer',
  'endless list': 'lists its tools without end',
  'many tools': 'lists more than 512 tools',
  'large list': 'lists more than 1 MiB of tools',
}
for (const [kind, what] of Object.entries(failsToList)) {
  t.test(`${kind}: its tools cannot be had`, async t => {
    const { list } = await givenMcp(t, [processServer('s', 'hostile', [kind])])
    await t.rejects(list(), { message: `the MCP server "s" ${what}` })
  })
}

t.test(
  'a process that never says hello is given up after 30 s, and killed though it does not want to go',
  async t => {
    const file = path.join(folderOf(t), 'pid')
    const { list, world } = await givenMcp(t, [processServer('s', 'hostile', ['silent', file])])
    const listing = t.rejects(list(), { message: 'the MCP server "s" did not answer in 30 s' })
    await until(() => linesOf(file).length === 1)
    await world.advance(30_000)
    await listing
    t.notOk(isAlive(Number(linesOf(file)[0])))
  },
)

t.test('a call without an answer is given up after ten minutes', async t => {
  const { list, call, world } = await givenMcp(t, [processServer('s', 'hostile', ['hanging'])])
  await list()
  const calling = t.rejects(call('s__go'), { message: 'the MCP server "s" did not answer in 600 s' })
  await world.advance(600_000)
  await calling
})

t.test('what a process prints besides is skipped', async t => {
  const { call } = await givenMcp(t, [processServer('s', 'hostile', ['chatty'])])
  t.equal(await call('s__go'), 'went')
})

t.test('a result that is too large is a failure of the call', async t => {
  const { call } = await givenMcp(t, [processServer('s', 'hostile', ['huge'])])
  await t.rejects(call('s__go'), { message: 'the MCP server "s" sent more than 10 MiB without an answer' })
})

t.test('a long text is cut and marked', async t => {
  const { call } = await givenMcp(t, [processServer('s')])
  const content = (await call('s__huge', { size: '1100000' })) as string
  t.equal(content.length, 1024 * 1024 + '\n[Cut: the result holds more than 1 MiB of text]'.length)
  t.match(content, /x\n\[Cut: the result holds more than 1 MiB of text\]$/)
})

t.test('a process that cannot be started is told in words', async t => {
  const nowhere: McpServer = { name: 's', command: '/nowhere/at-all', args: [], env: {} }
  const { list } = await givenMcp(t, [nowhere])
  await t.rejects(list(), {
    message: 'the MCP server "s" cannot be started: its command or its folder is not there',
  })
})

/** What a URL answers to every POST, and what is told of it. */
const answers: Record<string, [(response: ServerResponse) => void, string]> = {
  'a page': [response => void response.end('<html>'), 'sent an answer that cannot be read: <html>'],
  'broken JSON': [
    response => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc":'),
    'sent an answer that cannot be read: {"jsonrpc":',
  ],
  'a refusal': [
    response => void response.writeHead(401).end('who are you? X-Key: sEcReT'),
    'answered with HTTP 401: who are you? X-Key: ***',
  ],
  nothing: [response => void response.destroy(), 'closed the connection'],
  'a small answer that is large when it is unpacked': [
    response =>
      void response
        .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
        .end(gzipSync(Buffer.alloc(64 * 1024 * 1024, 32))),
    'sent more than 10 MiB in one answer',
  ],
  'an event without end': [
    response => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const more = () => {
        while (!response.destroyed && response.write(`data: ${'x'.repeat(65536)}`));
      }
      response.on('drain', more)
      more()
    },
    'sent more than 10 MiB in one answer',
  ],
}
for (const [kind, [answer, what]] of Object.entries(answers)) {
  t.test(`a URL that answers with ${kind}`, async t => {
    const { url } = await listen(t, (request, response) => request.resume().on('end', () => answer(response)))
    const { list, lines } = await givenMcp(t, [placeServer('s', url, { 'X-Key': 'sEcReT' })])
    await t.rejects(list(), { message: `the MCP server "s" ${what}` })
    t.notMatch(JSON.stringify(lines), /sEcReT/)
  })
}

t.test('a URL that never answers is given up after 30 s', async t => {
  let asked = 0
  const { url } = await listen(t, () => asked++)
  const { list, world } = await givenMcp(t, [placeServer('s', url)])
  const listing = t.rejects(list(), { message: 'the MCP server "s" did not answer in 30 s' })
  await until(() => asked > 0)
  await world.advance(30_000)
  await listing
})

t.test('a URL where nobody listens is told with the code of the network', async t => {
  const { url, http } = await listen(t, () => {})
  http.close()
  const { list } = await givenMcp(t, [placeServer('s', url)])
  await t.rejects(list(), {
    message: 'the MCP server "s" cannot be reached: nothing listens on its port (ECONNREFUSED)',
  })
})

t.test('a redirect to somebody else is not followed: nothing is told there', async t => {
  let asked = 0
  const elsewhere = await listen(t, (_, response) => {
    asked++
    response.end()
  })
  const { url } = await listen(t, (request, response) => {
    request.resume()
    response.writeHead(307, { location: elsewhere.url }).end()
  })
  const { list } = await givenMcp(t, [placeServer('s', url, { Authorization: 'Bearer secret' })])
  await t.rejects(list(), {
    message: `the MCP server "s" answered with HTTP 307: Redirect to ${elsewhere.url} not followed; use that URL as the endpoint if it is the intended server`,
  })
  t.equal(asked, 0)
})
