// Calls by MCP's own client, in both versions.
import t from 'tap'
import { serveHere } from '../../support/server.ts'
import { clientOf, type Version, versions } from './clients.ts'

const agents = t.testdir({
  'greets.mjs': `import { agent } from 'reprise/agent'
export default agent(async ctx => {
  const { name } = await ctx.ask('who', { question: 'Who are you?' }, {
    schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  })
  return 'Hello, ' + name + '!'
}, { description: 'Greets.' })`,
})
const { url } = await serveHere(t, { AGENT_PATH: agents })

for (const version of Object.keys(versions) as Version[])
  t.test(`a client of ${version}`, async t => {
    const asked: unknown[] = []
    const client = await clientOf(t, url, {
      version,
      answer(params) {
        asked.push(params)
        return { action: 'accept', content: { name: 'Ada' } }
      },
    })
    const { tools } = await client.listTools()
    t.match(
      tools.map(({ name }) => name),
      ['agent_demo', 'agent_echo'],
    )
    const echo = await client.callTool({ name: 'agent_echo', arguments: { input: 'Hello' } })
    t.match(echo.content, [{ type: 'text', text: 'Hello' }])
    const greeting = await client.callTool({ name: 'agent_greets', arguments: { input: 'x' } })
    t.match(greeting.content, [{ type: 'text', text: 'Hello, Ada!' }])
    t.match(asked, [{ message: 'Who are you?' }])
  })
