// An editor works with the agents of a server, over the real process `reprise acp`.
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { type McpServer, methods, type RequestPermissionOutcome } from '@agentclientprotocol/sdk'
import t from 'tap'
import { until } from '../../support/http.ts'
import { adminToken, serveHere } from '../../support/server.ts'
import { scriptedModel } from '../openai/clients.ts'
import { chooses, cwd, kindsOf, openEditor, spawnAcp, textOf } from './editor.ts'
import { fuzz } from './fuzz.ts'
import { holdingProxy } from './holding-proxy.ts'

const call = (name: string, args: object) => ({ tool_calls: [{ name, arguments: args }] })
type Asked = {
  messages: { role: string; content: unknown; tool_call_id?: string }[]
  tools?: { function: { name: string } }[]
}

const asker = `import { agent } from 'reprise/agent'
export default agent(async ctx => {
  const colour = await ctx.ask('ask_user', { question: 'Which colour?' })
  const [size, shape] = await Promise.all([ctx.ask('ask_size', { message: 'Which size?' }), ctx.ask('ask_shape', { a: 1 })])
  return [ctx.input.text, colour, size, shape].join(', ')
})
`
const model = await scriptedModel(t)
const AGENT_PATH = t.testdir({ 'asker.mjs': asker })
const server = await serveHere(t, { ...model.env, AGENT_PATH, ENV_UID_BASE: '0' })
const env = { REPRISE_URL: server.url, REPRISE_TOKEN: adminToken }

t.test('an editor that gives permissions and has tools', async t => {
  const args = ['--agent', 'model', '--approve', 'write_file']
  let outcome: RequestPermissionOutcome = { outcome: 'cancelled' }
  const files = new Map([[`${cwd}/src/a.ts`, 'const a = 1']])
  const capabilities = { fs: { readTextFile: true, writeTextFile: true } }
  const editor = await openEditor(t, { args, env }, { permit: () => outcome, files, capabilities })
  const lastAsked = () => model.asked.at(-1)?.request as unknown as Asked
  const resultSeen = () => String(lastAsked().messages.at(-1)?.content)
  t.match(editor.initialized, {
    protocolVersion: 1,
    agentInfo: { name: 'reprise' },
    agentCapabilities: { loadSession: true, sessionCapabilities: { list: {}, close: {}, resume: {} } },
  })
  const session = await editor.newSession()
  const saidBy = async (text: string) => {
    editor.updates.length = 0
    editor.permissions.length = 0
    const { stopReason } = await editor.prompt(session, text)
    return { stopReason, kinds: kindsOf(editor.updates), text: textOf(editor.updates) }
  }

  await model.script([
    { reasoning: 'It is a product.', ...call('calculator', { expression: '6*7' }) },
    { text: 'It is 42.' },
  ])
  t.same(await saidBy('What is 6*7?'), {
    stopReason: 'end_turn',
    kinds: ['agent_thought_chunk', 'tool_call', 'tool_call_update', 'agent_message_chunk'],
    text: 'It is 42.',
  })
  t.match(editor.updates[1]?.update, {
    name: 'calculator',
    status: 'in_progress',
    rawInput: { expression: '6*7' },
  })
  t.match(editor.updates[2]?.update, { status: 'completed', content: [{ content: { text: '42' } }] })
  const offered = lastAsked().tools?.map(({ function: { name } }) => name) ?? []
  t.ok(offered.includes('editor_read_file') && offered.includes('editor_write_file'))
  t.notOk(offered.includes('editor_run_command'), 'this editor has no terminal')

  outcome = chooses('allow')
  await model.script([call('write_file', { path: 'notes.txt', content: 'hi' }), { text: 'Written.' }])
  t.match(await saidBy('Write hi'), { text: 'Written.' })
  t.match(editor.permissions, [{ sessionId: session, toolCall: { name: 'write_file', status: 'pending' } }])
  t.match(resultSeen(), /Wrote/)

  outcome = chooses('refuse')
  await model.script([call('write_file', { path: 'notes.txt', content: 'no' }), { text: 'Not written.' }])
  t.match(await saidBy('Write no'), { text: 'Not written.' })
  t.match(editor.updates.at(-2)?.update, { sessionUpdate: 'tool_call_update', status: 'failed' })

  outcome = chooses('always')
  await model.script([
    call('editor_read_file', { path: 'src/a.ts' }),
    call('editor_read_file', { path: 'src/none.ts' }),
    call('editor_write_file', { path: 'src/a.ts', content: 'const a = 2' }),
    { text: 'It is changed.' },
  ])
  t.match(await saidBy('Change a'), { text: 'It is changed.' })
  t.same(
    editor.permissions.map(({ toolCall }) => toolCall.name),
    ['editor_read_file', 'editor_write_file'],
    'what is always allowed is asked once',
  )
  const tools = lastAsked()
    .messages.filter(({ role }) => role === 'tool')
    .slice(-3)
  t.same(tools[0]?.content, 'const a = 1')
  t.match(String(tools[1]?.content), /there is no .*none\.ts/)
  t.equal(files.get(`${cwd}/src/a.ts`), 'const a = 2')
  t.ok(editor.updates.some(({ update }) => JSON.stringify(update).includes('"type":"diff"')))

  outcome = { outcome: 'cancelled' }
  await model.script([call('write_file', { path: 'notes.txt', content: 'x' }), { text: 'never' }])
  t.match(await saidBy('Write x'), { stopReason: 'cancelled' })

  await model.script([{ text: 'one two three four five six seven', token_ms: 100 }])
  const long = saidBy('Count')
  await until(() => textOf(editor.updates) !== '')
  await editor.cancel(session)
  t.match(await long, { stopReason: 'cancelled' })

  await model.script([{ error: { status: 400, message: 'the model says no' } }])
  await t.rejects(editor.prompt(session, 'Fail'), { code: -32603, message: /the model says no/ })
  await t.rejects(editor.prompt('acp-unknown', 'Hi'), { code: -32002, data: { sessionId: 'acp-unknown' } })
  await t.rejects(editor.load('acp-unknown'), { code: -32002 })
  const nowhere = { cwd: 'project', mcpServers: [] }
  await t.rejects(editor.agent.request(methods.agent.session.new, nowhere), { code: -32602 })
})

t.test('a session that is loaded in the middle of a prompt', async t => {
  let end = () => {}
  const ended = new Promise<void>(resolve => {
    end = resolve
  })
  const never = new Promise<RequestPermissionOutcome>(() => {})
  const editor = await openEditor(
    t,
    { args: ['--agent', 'model'], env },
    {
      capabilities: { terminal: true },
      permit: () => (editor.permissions.length === 1 ? never : chooses('always')),
      command: name => (name === 'make' ? ended : Promise.resolve()),
    },
  )
  const session = await editor.newSession()
  /** What the editor was told since the last load. */
  const told = () => {
    const { updates } = editor
    return updates.slice(updates.findLastIndex(({ update }) => update.sessionUpdate === 'user_message_chunk'))
  }
  const words = 'one two three four five six'
  await model.script([
    call('editor_run_command', { command: 'make' }),
    call('editor_run_command', { command: 'test' }),
    { text: words, token_ms: 150 },
  ])
  const prompt = editor.prompt(session, 'Make it')
  await until(() => editor.permissions.length === 1)
  await editor.load(session)
  await until(() => editor.commands().length > 0)
  t.equal(editor.permissions.length, 2, 'what the editor had not answered is asked again')

  await editor.load(session)
  await editor.agent.request(methods.agent.session.resume, { sessionId: session, cwd, mcpServers: [] })
  end()
  await until(() => textOf(told()).includes('one'))
  t.same(editor.commands(), ['make', 'test'], 'a command that runs is not run again')
  t.equal(editor.permissions.length, 2, 'what may always run is not asked again')

  await Promise.all([editor.load(session), editor.load(session)])
  await editor.agent.request(methods.agent.session.resume, { sessionId: session, cwd, mcpServers: [] })
  t.same(await prompt, { stopReason: 'end_turn' }, 'the prompt has its end')
  t.equal(textOf(told()), words, 'each word comes once after a load')
  t.equal(told().filter(({ update }) => update.sessionUpdate === 'tool_call').length, 2)

  await model.script([{ text: words, token_ms: 2000 }])
  const long = editor.prompt(session, 'Count')
  const loaded = editor.load(session)
  await until(() => textOf(told()).startsWith('one '))
  await loaded
  await editor.cancel(session)
  t.same(await long, { stopReason: 'cancelled' })
})

t.test('questions of an agent', async t => {
  const args = ['--agent', 'asker']

  const plain = await openEditor(t, { args, env })
  const session = await plain.newSession()
  const said = async (text: string) => {
    plain.updates.length = 0
    t.same(await plain.prompt(session, text), { stopReason: 'end_turn' })
    return textOf(plain.updates)
  }
  t.equal(await said('paint'), 'Which colour?', 'without forms, an agent asks in words')
  t.equal(await said('blue'), 'Which size?', 'and the next prompt is the answer')
  const list = await plain.agent.request(methods.agent.session.list, { cwd })
  t.match(list, { sessions: [{ sessionId: session, cwd, title: 'paint', updatedAt: /Z$/ }] })
  t.same((await plain.agent.request(methods.agent.session.list, { cwd: '/elsewhere' })).sessions, [])

  await plain.kill()
  const later = await openEditor(t, { args, env })
  const big = await Promise.all([later.load(session), later.prompt(session, 'big')])
  t.match(big, [{}, { stopReason: 'end_turn' }])
  t.equal(
    textOf(later.updates, 'user_message_chunk'),
    'paint',
    'a prompt right behind a load is the answer, too',
  )
  t.match(textOf(later.updates), /Which size\?/)
  t.equal(textOf(later.updates.slice(-1)), 'ask_shape {"a":1}', 'the questions of one moment come one by one')
  t.same(await later.prompt(session, 'round'), { stopReason: 'end_turn' })
  t.equal(textOf(later.updates.slice(-1)), 'paint, blue, big, round')

  const answers = ['red', 'small', undefined]
  const withForms = await openEditor(
    t,
    { args, env },
    {
      capabilities: { elicitation: { form: {} } },
      elicit() {
        const answer = answers.shift()
        return answer === undefined ? { action: 'decline' } : { action: 'accept', content: { answer } }
      },
    },
  )
  const second = await withForms.newSession()
  await t.rejects(withForms.prompt(second, 'draw'), { message: /gave no answer/ }, 'an error of this agent')
  t.same(answers, [])
})

t.test('an answer in words that the server refuses, or gets late', async t => {
  const way = await holdingProxy(t, server.url)
  const editor = await openEditor(t, { args: ['--agent', 'asker'], env: { ...env, REPRISE_URL: way.url } })
  const session = await editor.newSession()
  const listed = async () =>
    (
      (await (await server.api('GET', `/tasks?session_id=${session}`)).json()) as {
        result: { status: string }[]
      }
    ).result

  await editor.prompt(session, 'paint')
  await t.rejects(editor.prompt(session, 'blue'.repeat(500_000)), {
    code: -32603,
    message: /too large|longer/,
  })
  const blue = editor.prompt(session, 'blue')
  await until(async () => textOf(editor.updates).endsWith('Which size?') || (await listed()).length > 1)
  t.equal((await listed()).length, 1, 'the next prompt answers the question, too')
  t.same(await blue, { stopReason: 'end_turn' })

  way.hold('/input ')
  const big = editor.prompt(session, 'big')
  await until(way.isHolding)
  await editor.cancel(session)
  await editor.agent.request(methods.agent.session.list, {}) // so the cancel has been read
  way.release()
  t.same(await big, { stopReason: 'cancelled' }, 'a cancel meets the task that gets its answer')
  t.match(await listed(), [{ status: 'canceled' }])
})

t.test('sessions of the server', async t => {
  const args = ['--agent', 'model', '--approve', 'write_file']
  let asked = 0
  const never = new Promise<RequestPermissionOutcome>(() => {})
  const permit = () => {
    asked++
    return never
  }
  const editor = await openEditor(t, { args, env }, { permit })
  const { session } = methods.agent
  const empty = await editor.newSession()
  await t.rejects(editor.load(empty), { code: -32002 }, 'a session is there from its first prompt on')

  await server.api('POST', '/tasks', {
    user_message_content: 'From  elsewhere',
    stream: false,
    session_id: 'other',
    client_id: 'echo',
  })
  const listed = await editor.agent.request(session.list, {})
  t.match(listed.sessions, [{ sessionId: 'other', cwd: '/', title: 'From elsewhere' }])
  await editor.load('other')
  t.equal(textOf(editor.updates, 'user_message_chunk'), 'From  elsewhere')
  t.equal(textOf(editor.updates), 'From  elsewhere')

  await model.script([{ text: 'first', token_ms: 50 }, { text: 'second' }])
  editor.updates.length = 0
  const both = await Promise.all([editor.prompt('other', 'One'), editor.prompt('other', 'Two')])
  t.same(both, [{ stopReason: 'end_turn' }, { stopReason: 'end_turn' }])
  t.equal(textOf(editor.updates), 'firstsecond', 'prompts of a session work one after the other')

  await model.script([call('write_file', { path: 'a', content: 'a' }), { text: 'Done.' }])
  const waits = editor.prompt('other', 'Write')
  await until(() => asked === 1)
  const [task] = (
    (await (await server.api('GET', '/tasks?limit=1')).json()) as {
      result: { id: string; input_required: { call_id: string } }[]
    }
  ).result
  const elsewhere = await openEditor(t, { args, env }, { permit })
  elsewhere.updates.length = 0
  await elsewhere.agent.request(session.resume, { sessionId: 'other', cwd, mcpServers: [] })
  await until(() => asked === 2)
  t.same(elsewhere.updates, [], 'a session that is resumed is not told again, but asks what it asked')
  const approve = { call_id: task?.input_required.call_id, decision: 'approve' }
  t.equal((await server.api('POST', `/tasks/${task?.id}/approvals`, approve)).status, 200)
  t.same(await waits, { stopReason: 'end_turn' }, 'somebody else may decide: the request is taken back')

  await model.script([{ text: 'one two three four five', token_ms: 200 }])
  editor.updates.length = 0
  const closed = editor.prompt('other', 'Count')
  await until(() => textOf(editor.updates) !== '')
  await editor.agent.request(session.close, { sessionId: 'other' })
  t.same(await closed, { stopReason: 'cancelled' }, 'a session that is closed is canceled')
  await t.rejects(editor.prompt('other', 'Hi'), { code: -32002 })

  const mcpServers: McpServer[] = [
    { name: 'local', command: 'tool', args: [], env: [] },
    { type: 'http', name: 'mine', url: 'http://127.0.0.1:9/mcp', headers: [] },
  ]
  const withServers = await editor.agent.request(session.new, { cwd, mcpServers })
  await until(() => editor.stderr().includes('only those with an http address can be: local'))
  await t.rejects(editor.prompt(withServers.sessionId, 'Hi'), {
    message: /the MCP server "mine" cannot be reached/,
  })

  const hi = { user_message_content: 'Hi', stream: false, session_id: 'acp-1', client_id: 'echo' }
  await server.api('POST', '/tasks', hi)
  await fuzz(t, 200, env)
})

t.test('what an editor sends together with `initialize` is answered after it', async t => {
  const { stdin, stdout } = spawnAcp(t, [], env)
  const messages = [
    { id: 0, method: 'initialize', params: { protocolVersion: 1 } },
    { id: 1, method: 'session/new', params: { cwd, mcpServers: [] } },
  ]
  stdin?.end(messages.map(each => `${JSON.stringify({ jsonrpc: '2.0', ...each })}\n`).join(''))
  const answers = (await text(stdout as Readable)).trim().split('\n')
  t.match(
    answers.map(each => JSON.parse(each)),
    [
      { id: 0, result: { protocolVersion: 1 } },
      { id: 1, result: { sessionId: /^acp-/ } },
    ],
  )
})

t.test('an `initialize` that fails does not hold what comes after it', async t => {
  const { stdin, stdout } = spawnAcp(t, [], env)
  const messages = [
    { id: 0, method: 'initialize', params: { protocolVersion: 'x' } },
    { id: 1, method: 'initialize', params: { protocolVersion: 1 } },
  ]
  stdin?.end(messages.map(each => `${JSON.stringify({ jsonrpc: '2.0', ...each })}\n`).join(''))
  const answers = (await text(stdout as Readable)).trim().split('\n')
  t.match(
    answers.map(each => JSON.parse(each)),
    [
      { id: 0, error: {} },
      { id: 1, result: { protocolVersion: 1 } },
    ],
  )
})

t.test('no session begins with an agent that is not there', async t => {
  const editor = await openEditor(t, { args: ['--agent', 'nope'], env })
  await t.rejects(editor.newSession(), {
    code: -32602,
    message: /there is no agent "nope", which --agent names: the agents are .*asker, .*model/,
  })
})
