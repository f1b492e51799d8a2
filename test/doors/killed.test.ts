// A server that is killed twice: while clients of three protocols wait for their agents or are asked something, and in the middle of
// what they read. OpenAI's client and one of AG-UI take their streams up again, without a gap or a repeat; each call of MCP is one task,
// which ends with what its client hears; and nothing is said or done twice.
import type OpenAI from 'openai'
import t from 'tap'
import { adminToken, spawnServer } from '../support/server.ts'
import * as agUi from './ag-ui/clients.ts'
import { mustBeInOrder } from './ag-ui/hostile.ts'
import { outside } from './counts.ts'
import { becomes, messagesTo, olderMessagesTo } from './mcp/messages.ts'
import { all, ask, clientOf, scriptedModel, taskOf } from './openai/clients.ts'

t.setTimeout(240_000)

const said = 'one two three four five six seven eight nine ten'
const asks = `import { agent } from 'reprise/agent'
const text = { type: 'object', properties: { color: { type: 'string' } }, required: ['color'] }
export default agent(async ctx => {
  const post = async what => (await fetch(ctx.input.text + what, { method: 'POST' })).status
  await ctx.run('begin', () => post('/begin'))
  const { color } = await ctx.ask('color', { question: 'Which color?' }, { schema: text })
  await ctx.run('end', () => post('/end'))
  return 'It is ' + color + '.'
})
`
type ServerProcess = Awaited<ReturnType<typeof spawnServer>>
const world = await outside(t)
const model = await scriptedModel(t)
const dataDir = t.testdir({})
const env = {
  ...model.env,
  AGENT_PATH: t.testdir({ 'asks.mjs': asks }),
  ENV_UID_BASE: '0',
  MCP_TASK_AFTER_MS: '0',
  ALLOW_PRIVATE_URLS: '1',
}

/**
 * A conversation by a door. Each step gets a server of its own life. `begin` lasts until the agent waits; `read` ends when the
 * server is killed, and calls `heard` when something has come.
 */
type Conversation = {
  begin(server: ServerProcess): Promise<void>
  read(server: ServerProcess, heard: () => void): Promise<void>
  finish(server: ServerProcess): Promise<void>
}

type Event = OpenAI.Responses.ResponseStreamEvent
const byOpenAi = (): Conversation => {
  const events: Event[] = []
  let asked: OpenAI.Responses.Response
  let id = ''
  const textIn = (list: Event[]) =>
    list.flatMap(event => (event.type === 'response.output_text.done' ? [event.text] : [])).at(-1)
  const answer = () => {
    const call = asked.output.at(-1) as OpenAI.Responses.ResponseFunctionToolCall
    const input = [{ type: 'function_call_output' as const, call_id: call.call_id, output: 'yes' }]
    return { model: 'model', previous_response_id: asked.id, input }
  }
  return {
    async begin({ url }) {
      asked = await clientOf(url).responses.create({ model: 'model', input: 'Count', tools: [ask] })
    },
    async read({ url }, heard) {
      const stream = await clientOf(url).responses.create({ ...answer(), stream: true })
      try {
        for await (const event of stream) {
          events.push(event)
          if (event.type === 'response.created') id = event.response.id
          if (event.type === 'response.output_text.delta') heard()
        }
        t.fail('the stream came to its end')
      } catch {
        t.not(id, asked.id)
      }
    },
    async finish({ url, api }) {
      const client = clientOf(url)
      const after = events.at(-1)?.sequence_number ?? -1
      const rest = await all(await client.responses.retrieve(id, { stream: true, starting_after: after }))
      const whole = [...events, ...rest]
      t.same(
        whole.map(event => event.sequence_number),
        whole.map((_, n) => n),
      )
      t.equal(rest.at(-1)?.type, 'response.completed')
      t.equal(textIn(whole), said)
      const read = await all(await client.responses.retrieve(id, { stream: true }))
      t.same(read, whole, 'and each reading is the same')
      t.equal((await client.responses.retrieve(id)).output_text, said, 'nothing is said twice')
      t.equal((await client.responses.create(answer())).id, id, 'the same answer again is the same response')
      t.equal((await taskOf(api, asked.id.slice('resp_'.length))).status, 'completed')
    },
  }
}

const byAgUi = (): Conversation => {
  let body = {}
  let before: Awaited<ReturnType<typeof agUi.cutStream>> = []
  return {
    async begin({ url }) {
      const agent = agUi.agentOf(url, 'model')
      agent.addMessage(agUi.user('Paint and count'))
      const events = await agUi.run(agent, { runId: 'run-1', tools: [agUi.tool('paint')] })
      const { outcome } = events.at(-1) as unknown as { outcome: { pendingToolCallIds: [string] } }
      const messages = [...agent.messages, agUi.resultOf(outcome.pendingToolCallIds[0], 'red')]
      body = { threadId: agent.threadId, runId: 'run-2', messages, protocolVersion: '1.0' }
    },
    async read({ url }, heard) {
      before = await agUi.cutStream(await agUi.post(url, 'model', body), seen => {
        if (agUi.textOf(seen) !== '') heard()
      })
      t.notMatch(agUi.textOf(before), said, 'the stream was cut')
    },
    async finish({ url, api }) {
      const cursor = { 'last-event-id': String(before.at(-1)?.id) }
      const after = agUi.eventsIn(await (await agUi.post(url, 'model', body, cursor)).text())
      const whole = [...before, ...after]
      t.same(
        whole.map(({ id }) => id),
        whole.map((_, n) => n),
      )
      t.match(whole.at(-1)?.event, { type: 'RUN_FINISHED', runId: 'run-2', outcome: { type: 'success' } })
      const last = whole.findLast(({ event }) => event.type === 'TEXT_MESSAGE_END')?.event.messageId
      const own = whole.map(({ event }) => event).filter(({ messageId }) => messageId === last)
      t.equal(agUi.textIn(own), said)
      const text = await (await agUi.post(url, 'model', body)).text()
      t.same(agUi.eventsIn(text), whole, 'each reading is the same')
      await mustBeInOrder(text)
      t.match(await taskOf(api, 'run-1'), { status: 'completed' })
      t.equal((await api('GET', '/tasks/run-2')).status, 404, 'both runs are one task')
    },
  }
}

/** A client of 2026-07-28 has the id of its task; one of 2025-11-25 still answers the question that it was asked. */
const byMcp = (): Conversation => {
  const call = (who: string) => ({ name: 'agent_asks', arguments: { input: `${world.url}/${who}` } })
  const older = (url: string) =>
    olderMessagesTo(url, { token: adminToken, headers: { 'mcp-session-id': 'asks.x' } })
  let taskId: unknown
  let question = ''
  return {
    async begin({ url }) {
      const { result } = await messagesTo(url)('tools/call', call('modern'))
      t.equal(result?.resultType, 'task')
      taskId = result?.taskId
      const stream = await older(url)({ id: 1, method: 'tools/call', params: call('older') })
      const reader = (stream.body as ReadableStream<Uint8Array>).getReader()
      let heard = ''
      while (!heard.includes('elicitation/create'))
        heard += new TextDecoder().decode((await reader.read()).value)
      question = /"id":"(call_[^"]+)"/.exec(heard)?.[1] ?? ''
      await becomes(messagesTo(url), taskId, 'input_required')
      reader.read().catch(() => {}) // the server will be killed
    },
    async read({ url }, heard) {
      const accept = (color: string) => ({ action: 'accept', content: { color } })
      const update = { taskId, inputResponses: { color: accept('blue') } }
      for (const _ of [1, 2]) t.match(await messagesTo(url)('tasks/update', update), { result: {} })
      for (const _ of [1, 2]) t.equal((await older(url)({ id: question, result: accept('red') })).status, 202)
      heard()
    },
    async finish({ url }) {
      const send = messagesTo(url)
      t.match((await becomes(send, taskId, 'completed')).result, { content: [{ text: 'It is blue.' }] })
      const ofOlder = question.slice(question.indexOf('.') + 1)
      t.match((await becomes(send, ofOlder, 'completed')).result, { content: [{ text: 'It is red.' }] })
    },
  }
}

t.test('conversations go on after kill -9, once and again', async t => {
  const [openAi, ofAgUi, mcp] = [byOpenAi(), byAgUi(), byMcp()] as const
  const calls = (name: string) => ({ tool_calls: [{ name, arguments: {} }] })
  const slowly = { text: said, token_ms: 60 }
  await model.script([calls('ask'), calls('paint'), slowly, slowly, { text: said }, { text: said }])
  const first = await spawnServer(t, dataDir, env)
  for (const { begin } of [openAi, ofAgUi, mcp]) await begin(first)
  await first.end('SIGKILL')

  const second = await spawnServer(t, dataDir, env)
  const { promise: answered, resolve } = Promise.withResolvers<void>()
  await mcp.read(second, () => {})
  await mcp.finish(second)
  t.same(
    world.done.toSorted(),
    ['modern begin', 'modern end', 'older begin', 'older end'],
    'nothing is done twice',
  )
  const waiting = new Set([openAi, ofAgUi])
  const hears = (who: Conversation) => () => {
    if (waiting.delete(who) && waiting.size === 0) resolve()
  }
  const reading = Promise.all([...waiting].map(who => who.read(second, hears(who))))
  await answered
  await second.end('SIGKILL')
  await reading

  const third = await spawnServer(t, dataDir, env)
  for (const { finish } of [openAi, ofAgUi, mcp]) await finish(third)
  t.equal(world.done.length, 4)
})
