// Tools of MCP servers in tasks, over HTTP: what is offered, called, refused and kept secret, and what a crash leaves.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import { listen, serveMcp } from '../mcp/servers/http.ts'
import { result as rawResult } from '../mcp/servers/raw.mjs'
import { listOf, plainTool, rawPlace } from '../mcp/servers/raw.ts'
import { folderOf, isAlive, linesOf } from '../mcp/support.ts'
import { calls, fakeModel, says } from '../support/fake-model.ts'
import { brief, read, until } from '../support/http.ts'
import { type Api, apiOf, launch, serveHere } from '../support/server.ts'
import { type AgentTask, callId, holds, outline, resultsOf, script, tasksOf } from './agent-tasks.ts'

const stdio = path.resolve(import.meta.dirname, '../mcp/servers/stdio.mjs')
const hostile = path.resolve(import.meta.dirname, '../mcp/servers/hostile.mjs')
const node = (...args: string[]) => ({ command: process.execPath, args })

const folder = folderOf(t)
/** The file of the operator, with these servers. */
const configOf = (name: string, mcpServers: object): string => {
  const file = path.join(folder, `${name}.json`)
  writeFileSync(file, JSON.stringify({ mcpServers }))
  return file
}
const operatorsKey = 'sEcReT-operators-key'
const MCP_CONFIG = configOf('all', {
  tools: { ...node(stdio), env: { API_KEY: operatorsKey } },
  slow: node(stdio, 'slow'),
  gone: node(hostile, 'gone'),
})
const server = await serveHere(t, { MCP_CONFIG, ALLOW_PRIVATE_URLS: '1', LOG_LEVEL: 'debug' })
const { api, dataDir } = server
const { post, get, act, becomes } = tasksOf(api)

const resultTexts = (task: AgentTask): unknown[] => resultsOf(task).map(item => item.message_content)
const withServers = (tool_mcp_config: object, ...steps: object[]) => ({
  ...script(...steps),
  tool_mcp_config,
})
/** A task that plays these steps with the operator's servers. */
const plays = async (
  steps: object[],
  more: object = {},
  servers: object = { tools: {} },
): Promise<AgentTask> => {
  const { status, body, text } = await post({ agent_config: withServers(servers, ...steps), ...more })
  if (status !== 200) throw new Error(`${status} ${text}`)
  return body.result as AgentTask
}
const begins = async (file: string, steps: object[], servers: object, who: Api = api): Promise<string> => {
  const made = await tasksOf(who).post({ agent_config: withServers(servers, ...steps), background: true })
  await until(() => linesOf(file).length > 0)
  return made.body.result.id
}

t.test('a tool of a server is called like any other, and its result is an item like any other', async t => {
  const task = await plays([
    { tool: 'tools__echo', arguments: { text: 'hello' } },
    { message: 'it said $result' },
    { tools: [{ tool: 'tools__everything' }, { tool: 'tools__sum', arguments: { a: 1, b: 2 } }] },
  ])
  t.equal(task.status, 'completed')
  t.same(outline(task), [
    'tool_call tools__echo completed',
    'tool_result completed',
    'message completed',
    'tool_call tools__everything completed',
    'tool_call tools__sum completed',
    'tool_result completed',
    'tool_result completed',
  ])
  t.equal(resultTexts(task)[0], 'hello')
  t.equal(resultTexts(task).at(-1), '{"sum":3}')
  await holds(t, tasksOf(api), task.id)
})

t.test('what a server cannot do is a result that says so, and the agent goes on', async t => {
  const task = await plays([
    { tool: 'tools__fail', arguments: { why: 'not today' } },
    { tool: 'tools__refuse', arguments: { why: 'never' } },
    { tool: 'tools__echo', arguments: { words: 5 } },
    { tool: 'tools__nothing' },
    { tool: 'tools__die' },
    { tool: 'tools__echo', arguments: { text: 'here again' } },
  ])
  t.equal(task.status, 'completed')
  const [failed, refused, unfit, unknown, died, again] = resultTexts(task)
  t.equal(failed, 'not today')
  t.equal(refused, 'the MCP server "tools" answered: never')
  t.match(unfit, /^the arguments do not fit the tool "tools__echo": /)
  t.equal(unknown, 'there is no tool "tools__nothing"')
  t.equal(died, 'the MCP server "tools" closed the connection')
  t.equal(again, 'here again')
  t.same(
    resultsOf(task).map(({ status }) => status),
    [...Array(5).fill('incomplete'), 'completed'],
  )
})

t.test('lists hold for them by the name that is offered', async t => {
  const step = [{ tool: 'tools__echo', arguments: { text: 'x' } }]
  for (const list of [{ disallowed_tools: ['tools__echo'] }, { allowed_tools: ['tools__sum'] }]) {
    t.same(resultTexts(await plays(step, list)), ['the tool "tools__echo" is not allowed for this task'])
  }
  t.same(resultTexts(await plays(step, { allowed_tools: ['tools__echo'] })), ['x'])
  const stopped = await plays([...step, { message: 'not said' }], { stop_tools: ['tools__echo'] })
  t.same(outline(stopped), ['tool_call tools__echo completed', 'tool_result completed'])
})

t.test('a server that was not asked for is not there', async t => {
  const task = await plays([{ tool: 'tools__echo', arguments: { text: 'x' } }], {}, { slow: {} })
  t.same(resultTexts(task), ['there is no tool "tools__echo"'])
})

t.test('a model is offered the tools of all servers, and calls them', async t => {
  const place = await serveMcp(t)
  const model = await fakeModel(t, [calls(['here__echo', '{"text":"from a model"}']), says('done')])
  const { api } = await serveHere(t, { MCP_CONFIG, ALLOW_PRIVATE_URLS: '1', ...model.env })
  const task = await read(
    api('POST', '/tasks', {
      user_message_content: 'x',
      stream: false,
      agent_config: { agent_id: 'model', tool_mcp_config: { tools: {}, here: { url: place.url } } },
      disallowed_tools: ['tools__die'],
    }),
  )
  t.same(resultTexts(task.body.result), ['from a model'])
  const asked = model.asked[0]?.request as unknown as { tools: { function: { name: string } }[] }
  const offered = asked.tools.map(tool => tool.function.name)
  t.equal(offered.filter(name => name.startsWith('tools__')).length, 16)
  t.equal(offered.filter(name => name.startsWith('here__')).length, 17)
  t.notOk(offered.includes('tools__die'))
})

t.test(
  'odd tools are named in the metadata, the others work, and a tool that is left out is refused',
  async t => {
    const place = await rawPlace(t, {
      lists: [
        listOf([
          plainTool('good'),
          { name: 'open', description: null },
          { ...plainTool('long'), description: 'x'.repeat(200_000) },
          null,
        ]),
      ],
      calls: {
        good: { writes: [rawResult({ content: [{ type: 'text', text: 'well' }] })] },
        open: { writes: ['{"jsonrpc":"2.0","id":"$id","error":{"code":"ENOENT","message":"no such file"}}'] },
      },
    })
    const odd = [
      {
        server: 'here',
        name: 'open',
        problem: 'it has no inputSchema, so all arguments are accepted',
        left_out: false,
      },
      { server: 'here', name: 'long', problem: 'its definition is longer than 128 KiB', left_out: true },
      { server: 'here', name: 'number 4 of the list', problem: 'it is no object', left_out: true },
    ]
    const model = await fakeModel(t, [calls(['here__good', '{}']), says('done')])
    const { api } = await serveHere(t, { ALLOW_PRIVATE_URLS: '1', ...model.env })
    const tool_mcp_config = { here: { url: place.url } }
    const task = tasksOf(api)
    const { body } = await task.post({ agent_config: { agent_id: 'model', tool_mcp_config } })
    t.equal(body.result.status, 'completed')
    t.same(resultTexts(body.result), ['well'])
    t.same(body.result.metadata?.odd_tools, odd)
    t.same((await task.get(body.result.id)).metadata?.odd_tools, odd)
    await holds(t, task, body.result.id)

    const steps = [
      { tool: 'here__long' },
      { tool: 'here__open', arguments: { any: 1 } },
      { tool: 'here__good' },
    ]
    const played = await task.post({ agent_config: { ...script(...steps), tool_mcp_config } })
    t.same(resultTexts(played.body.result), [
      'the tool "here__long" cannot be used: its definition is longer than 128 KiB',
      'the MCP server "here" answered: no such file (ENOENT)',
      'well',
    ])
    const given = await task.post({ agent_config: script({ message: 'x' }), metadata: { odd_tools: [] } })
    t.equal(given.status, 422)
  },
)

t.test('a server that cannot be reached fails the task with the code of a tool, by name', async t => {
  const { url, http } = await listen(t, () => {})
  http.close()
  const nobody = { url, headers: { 'X-Key': 'sEcReT-of-nobody' } }
  for (const [name, config, what] of [
    ['gone', {}, 'closed the connection'],
    ['nobody', nobody, 'cannot be reached: nothing listens on its port (ECONNREFUSED)'],
    [
      'reserved',
      { url: 'http://127.0.0.1:1/' },
      'cannot be reached: HTTP clients refuse its port, which is reserved for another protocol; give it another one',
    ],
  ] as const) {
    const task = await plays([{ tool: `${name}__go` }], {}, { [name]: config })
    t.match(task, { status: 'failed', error: { code: -32008, message: `the MCP server "${name}" ${what}` } })
    t.equal(
      (await plays([{ message: 'hi' }], {}, { [name]: config })).status,
      'completed',
      'unless it is not needed',
    )
  }
})

t.test('a URL that leads inside is refused when it is connected to', async t => {
  const place = await serveMcp(t)
  const { api } = await serveHere(t, { MCP_CONFIG: configOf('inside', { inside: { url: place.url } }) })
  const { post } = tasksOf(api)
  const step = (name: string) => ({ tool: `${name}__echo`, arguments: { text: 'x' } })
  for (const url of [place.url, place.url.replace('127.0.0.1', 'localhost')]) {
    const { body } = await post({ agent_config: withServers({ s: { url } }, step('s')) })
    t.match(body.result, {
      status: 'failed',
      error: {
        code: -32008,
        message: `the MCP server "s" cannot be reached: ${new URL(url).hostname} leads to an address that is not public; the operator can allow such addresses with ALLOW_PRIVATE_URLS=1`,
      },
    })
  }
  t.equal(place.seen.length, 0)
  const { body } = await post({ agent_config: withServers({ inside: {} }, step('inside')) })
  t.same(resultTexts(body.result), ['x'], "the operator's own servers are where the operator says")
})

t.test('what cannot be is 422, each problem where it is', async t => {
  const tool_mcp_config = {
    mcpServers: {
      tools: { headers: { a: 'b' } },
      mine: { command: 'sh', args: ['-c', 'true'], env: { A: 'b' } },
      web: { url: 'file:///etc/passwd', headers: { 'X-Key': 5 } },
      unknown: {},
    },
  }
  const { status, body } = await post({ agent_config: { ...script({ message: 'x' }), tool_mcp_config } })
  t.equal(status, 422)
  const at = 'body agent_config tool_mcp_config mcpServers'
  t.same(brief(body.detail), [
    `${at} tools headers value_error`,
    `${at} mine command value_error`,
    `${at} mine args value_error`,
    `${at} mine env value_error`,
    `${at} web url value_error`,
    `${at} web headers X-Key string_type`,
    `${at} unknown value_error`,
  ])
})

/** The files of the data folder that hold a text. */
const filesWith = (folder: string, text: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => path.join(entry.parentPath, entry.name))
    .filter(file => readFileSync(file).includes(text))
    .map(file => path.basename(file))

t.test('headers reach the server and the file of secrets, and nothing and nobody else', async t => {
  const place = await serveMcp(t)
  const secret = 'sEcReT-of-a-caller'
  const servers = {
    place: { url: place.url, headers: { Authorization: `Bearer ${secret}` } },
    tools: {},
  }
  const waits = path.join(folder, 'secrets')
  const id = await begins(
    waits,
    [
      { tool: 'tools__refuse', arguments: { why: `wrong: ${operatorsKey}` } },
      { tool: 'place__refuse', arguments: { why: 'wrong: $result' } },
      { tool: 'place__wait', arguments: { file: waits } },
    ],
    servers,
  )
  t.same(filesWith(dataDir, secret), ['secrets.db'])
  t.ok(place.seen.length > 2)
  for (const headers of place.seen) t.equal(headers.authorization, `Bearer ${secret}`)
  await act(id, 'cancel')
  const answers = await Promise.all([
    read(api('GET', `/tasks/${id}`)),
    read(api('GET', '/tasks')),
    read(api('GET', `/tasks/${id}/events?limit=1000`)),
  ])
  for (const { text } of answers) t.notMatch(text, secret)
  t.match(resultTexts(await get(id))[0], 'wrong: ***')
  t.notMatch(JSON.stringify(server.lines), /sEcReT/)
  await until(() => filesWith(dataDir, secret).length === 0)
})

t.test('no two tasks share a process, a task and its subagents do', async t => {
  const as = async (user_id: string) => {
    const made = await read(api('POST', '/auth/tokens', { role: 'user', user_id }))
    return tasksOf(apiOf(server.url, (made.body as unknown as { token: string }).token))
  }
  const [ann, bob] = [await as('ann'), await as('bob')]
  const step = { tool: 'tools__count' }
  const counting = { agent_config: withServers({ tools: {} }, step, step) }
  const both = await Promise.all([ann.post(counting), bob.post(counting), ann.post(counting)])
  for (const { body } of both) t.same(resultTexts(body.result), ['1', '2'])

  const input = JSON.stringify([step, { message: 'counted' }])
  const task = await plays([step, { subagent: 'script', input }, step])
  t.same(resultTexts(task), ['1', 'counted', '3'])
})

t.test('a subagent has the servers of its caller, with their headers', async t => {
  const place = await serveMcp(t)
  const servers = { place: { url: place.url, headers: { 'X-Key': 'a-key' } } }
  const file = path.join(folder, 'noted')
  const input = JSON.stringify([{ tool: 'place__note', arguments: { file, line: 'from below' } }])
  t.equal((await plays([{ subagent: 'script', input }], {}, servers)).status, 'completed')
  t.same(linesOf(file), ['from below'])
  t.ok(place.seen.length > 2)
  for (const headers of place.seen) t.equal(headers['x-key'], 'a-key')
})

t.test('a cancel reaches the server', async t => {
  const file = path.join(folder, 'canceled')
  const id = await begins(file, [{ tool: 'tools__wait', arguments: { file } }], { tools: {} })
  const { body } = await act(id, 'cancel')
  t.match(body, { status: 'canceled' })
  await until(() => linesOf(file).includes('canceled'))
})

t.test('a server that is killed in a call fails the call; the next starts it again', async t => {
  const file = path.join(folder, 'killed')
  const steps = [
    { tool: 'tools__wait', arguments: { file } },
    { tool: 'tools__echo', arguments: { text: 'x' } },
  ]
  const id = await begins(file, steps, { tools: {} })
  process.kill(Number(linesOf(file)[0]?.split(' ')[1]), 'SIGKILL')
  const task = await becomes(id, 'completed')
  t.same(resultTexts(task), ['the MCP server "tools" closed the connection', 'x'])
})

/** A server of ours as a process, killed while a call of this tool is under way; started again. */
const killedInACall = async (t: Test, tool: 'look' | 'wait') => {
  const own = mkdtempSync(path.join(tmpdir(), 'reprise-test-'))
  t.teardown(() => rmSync(own, { recursive: true, force: true }))
  const file = path.join(own, 'calls')
  const configFor = (slow: boolean) =>
    configOf(`${tool}-${slow}`, { s: node(stdio, ...(slow ? ['slow'] : [])) })
  const first = await launch(own, { MCP_CONFIG: configFor(true) })
  const steps = [{ tool: `s__${tool}`, arguments: { file } }, { message: '$result' }]
  const id = await begins(file, steps, { s: {} }, first.api)
  const pid = Number(linesOf(file)[0]?.split(' ')[1])
  process.kill(pid, 'SIGSTOP') // so that it cannot find out that we are gone
  await first.end('SIGKILL')
  const second = await launch(own, { MCP_CONFIG: configFor(false), LOG_LEVEL: 'warn' })
  t.teardown(() => second.end('SIGTERM'))
  t.notOk(isAlive(pid), 'what was left running is killed')
  return { ...tasksOf(second.api), id, file, second }
}

t.test('after a crash a call that only reads is made again', async t => {
  const { becomes, id, file } = await killedInACall(t, 'look')
  const task = await becomes(id, 'completed')
  t.same(resultTexts(task), ['seen'])
  t.equal(linesOf(file).length, 2)
})

t.test(
  'after a crash a call that may have done something waits for somebody to say what became of it',
  async t => {
    const { becomes, answer, id, file } = await killedInACall(t, 'wait')
    const task = await becomes(id, 'paused')
    t.match(task.metadata, { reason: 'outcome_unknown', effect: { name: 's__wait' } })
    t.equal(linesOf(file).length, 1, 'it was not made again')
    await answer(id, { call_id: callId(task), message_content: 'it was done' })
    t.same(resultTexts(await becomes(id, 'completed')), ['it was done'])
  },
)

t.test('a server that stops leaves no process', async t => {
  const own = mkdtempSync(path.join(tmpdir(), 'reprise-test-'))
  t.teardown(() => rmSync(own, { recursive: true, force: true }))
  const process_ = await launch(own, { MCP_CONFIG, DRAIN_SECONDS: '0' })
  const file = path.join(own, 'calls')
  await begins(file, [{ tool: 'tools__wait', arguments: { file } }], { tools: {} }, process_.api)
  const pid = Number(linesOf(file)[0]?.split(' ')[1])
  t.same(await process_.end('SIGTERM'), [0, null])
  t.notOk(isAlive(pid))
  t.same(readdirSync(path.join(own, 'children')), [])
})
