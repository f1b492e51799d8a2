// Tasks use MCP servers of the newest version of the protocol, and of the one before.
import t from 'tap'
import { result } from '../../mcp/servers/raw.mjs'
import { listOf, plainTool, rawPlace } from '../../mcp/servers/raw.ts'
import { fakeModel, says } from '../../support/fake-model.ts'
import { serveHere } from '../../support/server.ts'
import { play } from './scenarios.ts'

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
  const model = await fakeModel(t, [says('Hi.')])
  const server = await serveHere(t, { ...model.env, ALLOW_PRIVATE_URLS: '1' })
  const url = 'url' in place.server ? place.server.url : ''
  const body = {
    user_message_content: 'Hi',
    stream: false,
    disallowed_tools: ['s__go'],
    agent_config: { agent_id: 'model', tool_mcp_config: { mcpServers: { s: { url } } } },
  }
  t.match(await (await server.api('POST', '/tasks', body)).json(), { result: { status: 'completed' } })
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
