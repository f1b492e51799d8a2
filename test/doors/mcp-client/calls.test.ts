// Tasks use MCP servers of the newest version of the protocol, and of the one before.
import t from 'tap'
import { result } from '../../mcp/servers/raw.mjs'
import { listOf, plainTool, rawPlace } from '../../mcp/servers/raw.ts'
import { fakeModel, says } from '../../support/fake-model.ts'
import { until } from '../../support/http.ts'
import { serveHere, spawnServer } from '../../support/server.ts'
import { play } from './scenarios.ts'
import { taskServer } from './task-server.ts'

const model = await fakeModel(t, [says('Hi.')])
const here = await serveHere(t, { ...model.env, ALLOW_PRIVATE_URLS: '1' })

t.test('a scenario of the public suite', async t => {
  const { code, printed } = await play(t, '2026-07-28', 'tools_call')
  t.equal(code, 0, printed)
})

t.test('what a server says about its tools reaches the model once', async t => {
  const greeting = {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'x', version: '1' },
    instructions: ' Ask for the city first. ',
  }
  const place = await rawPlace(t, {
    greeting: { writes: [`${result(greeting)}\n`] },
    lists: [listOf([plainTool('go'), plainTool('stop'), plainTool('turn')])],
    calls: {},
  })
  const url = 'url' in place.server ? place.server.url : ''
  const body = {
    user_message_content: 'Hi',
    stream: false,
    disallowed_tools: ['s__go'],
    agent_config: { agent_id: 'model', tool_mcp_config: { mcpServers: { s: { url } } } },
  }
  t.match(await (await here.api('POST', '/tasks', body)).json(), { result: { status: 'completed' } })
  const tools = (model.asked[0]?.request?.tools ?? []) as {
    function: { name: string; description: string }
  }[]
  const said = tools.filter(({ function: { description } }) =>
    description.includes('Ask for the city first.'),
  )
  t.same(
    said.map(({ function: { name } }) => name),
    ['s__stop'],
    'with the first of its tools that the model may call',
  )
  t.match(said[0]?.function.description, /About the tools of "s": Ask for the city first\.$/)
})

const scriptFor = (url: string) => ({
  user_message_content: 'go',
  stream: false,
  background: true,
  agent_config: {
    agent_id: 'script',
    script: [{ tool: 's__slow' }, { message: 'It said: $result' }],
    tool_mcp_config: { mcpServers: { s: { url } } },
  },
})
type Task = { id: string; status: string; output: { type: string; message_content: unknown }[] }
const taskIn = async (answer: Response): Promise<Task> => ((await answer.json()) as { result: Task }).result

t.test('a call that a server answers with a task is followed, also after the end of this server', async t => {
  let isDone = false
  const done = { status: 'completed', result: { content: [{ type: 'text', text: 'done at last' }] } }
  const server = await taskServer(t, (_, n) =>
    isDone ? done : { statusMessage: n < 3 ? 'first' : 'second' },
  )
  const dataDir = t.testdir()
  const env = { ALLOW_PRIVATE_URLS: '1' }
  const first = await spawnServer(t, dataDir, env)
  const { id } = await taskIn(await first.api('POST', '/tasks', scriptFor(server.url)))
  await until(() => server.of('tasks/get').length > 3)
  await first.end('SIGKILL')

  const looks = server.of('tasks/get').length
  const second = await spawnServer(t, dataDir, env)
  await until(() => server.of('tasks/get').length > looks)
  isDone = true
  let task = await taskIn(await second.api('GET', `/tasks/${id}`))
  await until(async () => {
    task = await taskIn(await second.api('GET', `/tasks/${id}`))
    return task.status !== 'working'
  })
  t.equal(task.status, 'completed')
  t.equal(server.of('tools/call').length, 1, 'the tool is called once')
  const [result] = task.output.filter(({ type }) => type === 'tool_result')
  t.match(
    JSON.stringify(result?.message_content),
    /first\\nsecond\\n.*done at last/,
    'what the server said meanwhile comes first',
  )
  for (const { params, name } of server.of('tasks/get')) t.same([params.taskId, name], ['t1', 't1'])

  isDone = false
  const follows = (taskId: string) => server.of('tasks/get').some(({ params }) => params.taskId === taskId)
  const canceled = () => server.of('tasks/cancel').map(({ params }) => params.taskId)
  const other = await taskIn(await second.api('POST', '/tasks', scriptFor(server.url)))
  await until(() => follows('t2'))
  await second.api('POST', `/tasks/${other.id}/cancel`)
  await until(() => canceled().length > 0)
  t.same(canceled(), ['t2'], 'a task that is canceled cancels the task of the server')

  await second.api('POST', '/tasks', scriptFor(server.url))
  await until(() => follows('t3'))
  await second.end('SIGTERM')
  t.same(canceled(), ['t2'], 'a server that stops leaves the task alone')
})

t.test('a task of a server that fails or is canceled is a failed call', async t => {
  const states: Record<string, object> = {
    'no such city': { status: 'failed', error: { code: -32000, message: 'no such city' } },
    'the server has canceled the task of the call: too long': {
      status: 'cancelled',
      statusMessage: 'too long',
    },
  }
  for (const [said, state] of Object.entries(states)) {
    const server = await taskServer(t, () => ({ ...state }))
    const task = await taskIn(
      await here.api('POST', '/tasks', { ...scriptFor(server.url), background: false }),
    )
    t.match(task.output, [
      { type: 'tool_call' },
      { type: 'tool_result', status: 'incomplete', message_content: said },
      { type: 'message' },
    ])
  }
})
