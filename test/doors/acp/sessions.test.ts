// An editor works with the agents of a server, over the real process `reprise acp`.
import { methods, type RequestPermissionOutcome } from '@agentclientprotocol/sdk'
import t from 'tap'
import { until } from '../../support/http.ts'
import { adminToken, serveHere } from '../../support/server.ts'
import { scriptedModel } from '../openai/clients.ts'
import { chooses, cwd, kindsOf, openEditor, textOf } from './editor.ts'

const call = (name: string, args: object) => ({ tool_calls: [{ name, arguments: args }] })
type Asked = {
  messages: { role: string; content: unknown; tool_call_id?: string }[]
  tools?: { function: { name: string } }[]
}

t.test('an editor that gives permissions and has tools', async t => {
  const model = await scriptedModel(t)
  const server = await serveHere(t, model.env)
  const env = { REPRISE_URL: server.url, REPRISE_TOKEN: adminToken }
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

const asker = `import { agent } from 'reprise/agent'
export default agent(async ctx => {
  const colour = await ctx.ask('ask_user', { question: 'Which colour?' })
  const [size, shape] = await Promise.all([ctx.ask('ask_size', { message: 'Which size?' }), ctx.ask('ask_shape', { a: 1 })])
  return [ctx.input.text, colour, size, shape].join(', ')
})
`

t.test('questions of an agent', async t => {
  const agents = t.testdir({ 'asker.mjs': asker })
  const server = await serveHere(t, { AGENT_PATH: agents, ENV_UID_BASE: '0' })
  const env = { REPRISE_URL: server.url, REPRISE_TOKEN: adminToken }
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
  await later.load(session)
  await until(() => textOf(later.updates).endsWith('Which size?'))
  t.equal(textOf(later.updates, 'user_message_chunk'), 'paint')
  t.same(await later.prompt(session, 'big'), { stopReason: 'end_turn' })
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
