// Connections to real servers, as processes and at URLs: what they are asked, and for how long they are kept.
import path from 'node:path'
import t, { type Test } from 'tap'
import type { McpServer } from '../../src/mcp/server.ts'
import { until } from '../support/http.ts'
import { serveMcp } from './servers/http.ts'
import { givenMcp, isAlive, linesOf, placeServer, processServer } from './support.ts'

const kinds: Record<string, (t: Test) => Promise<McpServer>> = {
  'a process': async () => processServer('s'),
  'a process of the newest protocol alone': async () => processServer('s', 'stdio', ['modern']),
  'a URL': async t => placeServer('s', (await serveMcp(t)).url),
  'a URL that answers in JSON': async t => placeServer('s', (await serveMcp(t, { json: true })).url),
  'a URL of the newest protocol alone': async t =>
    placeServer('s', (await serveMcp(t, { modern: true })).url),
}

/** How many tools each of the servers has, on several pages. */
const toolCount = 17

for (const [kind, serve] of Object.entries(kinds)) {
  t.test(`the tools of ${kind} are listed over all pages and called`, async t => {
    const { list, call } = await givenMcp(t, [await serve(t)])
    const tools = await list()
    t.equal(tools.length, toolCount)
    t.match(tools[0]?.definition, {
      type: 'function',
      function: { name: 's__echo', description: 'Says it again.', parameters: { required: ['text'] } },
    })
    t.equal(await call('s__echo', { text: 'hello' }), 'hello')
    await t.rejects(call('s__refuse', { why: 'I will not' }), {
      message: 'the MCP server "s" answered: I will not',
    })
    t.equal(await call('s__echo', { text: 'still there' }), 'still there')
  })

  t.test(`a call of ${kind} that is stopped ends at once, and the server is told`, async t => {
    const { folder, call } = await givenMcp(t, [await serve(t)])
    const file = path.join(folder, 'waits')
    const stop = new AbortController()
    const waiting = call('s__wait', { file }, { signal: stop.signal })
    await until(() => linesOf(file).length === 1)
    stop.abort()
    await t.rejects(waiting)
    await until(() => linesOf(file).includes('canceled'))
    t.equal(await call('s__echo', { text: 'next' }), 'next')
  })
}

for (const kind of ['a process', 'a URL']) {
  t.test(`${kind} that has learnt a tool is asked for its list again`, async t => {
    const { list, call } = await givenMcp(t, [await (kinds[kind] as (t: Test) => Promise<McpServer>)(t)])
    t.equal((await list()).length, toolCount)
    await call('s__learn', { name: 'more' })
    await until(async () => (await list()).length === toolCount + 1)
    t.equal(await call('s__more'), 'I know more')
  })

  t.test(`${kind} shares nothing between two tasks, but all between a task and its subagents`, async t => {
    const { scopeOf, call } = await givenMcp(t, [await (kinds[kind] as (t: Test) => Promise<McpServer>)(t)])
    const count = (root: string, taskId: string) =>
      call('s__count', {}, { scope: { ...scopeOf(root), taskId } })
    t.equal(await count('task_1', 'task_1'), '1')
    t.equal(await count('task_1', 'task_of_a_subagent'), '2')
    t.equal(await count('task_2', 'task_2'), '1')
  })
}

t.test(
  'a server at a URL is given the configured headers, and told when nobody needs its session',
  async t => {
    const server = await serveMcp(t)
    const { call, world } = await givenMcp(t, [placeServer('s', server.url, { 'X-Api-Key': 'key' })])
    await call('s__echo', { text: 'x' })
    t.ok(server.seen.length > 3)
    for (const headers of server.seen) t.equal(headers['x-api-key'], 'key')
    t.equal(server.sessions.size, 1)
    await world.advance(60_000)
    await until(() => server.sessions.size === 0)
  },
)

t.test('a connection is opened once for whoever needs it at the same time', async t => {
  const server = await serveMcp(t)
  const { list } = await givenMcp(t, [placeServer('s', server.url)])
  await Promise.all([list(), list(), list()])
  t.equal(server.sessions.size, 1)
})

t.test('a process is kept while its task works, and ended a minute after its last use', async t => {
  let works = true
  const { world, call } = await givenMcp(t, [processServer('s')], { isWorking: () => works })
  const pid = Number(await call('s__pid'))
  await world.advance(60_000)
  t.equal(Number(await call('s__pid')), pid, 'while it works')
  works = false
  await world.advance(59_000)
  t.equal(Number(await call('s__pid')), pid, 'not yet a minute')
  await world.advance(60_000)
  await until(() => !isAlive(pid))
  t.not(Number(await call('s__pid')), pid, 'another one when it is needed again')
})

t.test('when its task has ended a process goes at once, and in a call as soon as that is over', async t => {
  const { folder, connections, call } = await givenMcp(t, [processServer('s')])
  const pid = Number(await call('s__pid'))
  connections.ended('another task')
  t.equal(Number(await call('s__pid')), pid)
  const file = path.join(folder, 'waits')
  const stop = new AbortController()
  const waiting = call('s__wait', { file }, { signal: stop.signal })
  await until(() => linesOf(file).length === 1)
  connections.ended('task_1')
  t.ok(isAlive(pid))
  stop.abort()
  await t.rejects(waiting)
  await until(() => !isAlive(pid))
  const again = Number(await call('s__pid'))
  connections.ended('task_1')
  await until(() => !isAlive(again))
})

t.test('a process sees what it was configured with and little of our environment', async t => {
  process.env.ADMIN_TOKEN = 'a-token-of-ours'
  t.teardown(() => delete process.env.ADMIN_TOKEN)
  const server = processServer('s', 'stdio', [], { API_KEY: 'its-own-key' })
  const { call, lines } = await givenMcp(t, [server])
  const seen = JSON.parse((await call('s__environment')) as string) as Record<string, string>
  t.equal(seen.API_KEY, 'its-own-key')
  t.equal(seen.PATH, process.env.PATH)
  t.notOk(Object.keys(seen).some(name => /TOKEN|DATA_DIR|MODEL/.test(name)))
  await until(() => lines.length > 0)
  t.same(lines[0], {
    level: 'debug',
    message: 'MCP server "s" on stderr',
    fields: { line: 'started, and my key is ***' },
  })
})

t.test('a process that dies in a call fails this call, and is started again for the next', async t => {
  const { call } = await givenMcp(t, [processServer('s')])
  const first = await call('s__pid')
  await t.rejects(call('s__die'), { message: 'the MCP server "s" closed the connection' })
  t.not(await call('s__pid'), first)
})

for (const [json, what] of [
  [false, 'broke its answer off'],
  [true, 'closed the connection'],
] as const) {
  t.test(`a server at a URL that ${what} fails this call, and is greeted anew`, async t => {
    const server = await serveMcp(t, { json })
    const { folder, call } = await givenMcp(t, [placeServer('s', server.url)])
    const file = path.join(folder, 'waits')
    const waiting = call('s__wait', { file })
    await until(() => linesOf(file).length === 1)
    server.http.closeAllConnections()
    await t.rejects(waiting, { message: `the MCP server "s" ${what}` })
    server.sessions.clear()
    t.equal(await call('s__echo', { text: 'again' }), 'again')
  })
}

t.test('a server that has forgotten our session is greeted anew within the call', async t => {
  const server = await serveMcp(t)
  const { call } = await givenMcp(t, [placeServer('s', server.url)])
  await call('s__count')
  server.sessions.clear()
  t.equal(await call('s__count'), '1')
})

t.test('nothing is opened once all is closed, and no process is left', async t => {
  const { call, list, connections } = await givenMcp(t, [processServer('s')])
  const pid = Number(await call('s__pid'))
  await connections.close()
  t.notOk(isAlive(pid))
  await t.rejects(list(), { message: 'the MCP server "s" is not called while Reprise shuts down' })
})
