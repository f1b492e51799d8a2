// Each door says who asks when a tool server does, and not the agent, and shows the form of the answer.
import t from 'tap'
import { adminToken, serveHere } from '../support/server.ts'
import { eventsIn, post } from './ag-ui/clients.ts'
import { messagesTo } from './mcp/messages.ts'
import { askingPlace, asksIn, bodyFor, deedsIn, taskIn, whenIt } from './mcp-client/asked.ts'

const { server, env } = await askingPlace(t, true)
const { api, url } = await serveHere(t, env)
const file = deedsIn(t).file
const begun = await taskIn(await api('POST', '/tasks', bodyFor(server, 'book', { file })))
const { id, session_id } = begun
const [asked] = asksIn(await whenIt(api, id, 'input-required'))
const schema = asked?.metadata.schema
t.match(schema, { properties: { seats: { type: 'integer' } } })

t.test('A2A: in the data of the question', async t => {
  const response = await fetch(`${url}/a2a/script/tasks/${id}`, {
    headers: { authorization: `Bearer ${adminToken}` },
  })
  const { status } = (await response.json()) as { status: { message: { parts: object[] } } }
  t.match(status.message.parts, [
    { text: 'How many seats?' },
    { data: { call_id: asked?.call_id, asked_by: 'mcp:s', schema } },
  ])
})

t.test('AG-UI: in the interrupt', async t => {
  const joined = await post(url, 'script', { threadId: session_id, runId: id, messages: [] })
  const last = eventsIn(await joined.text()).at(-1)?.event
  t.match(last?.outcome, {
    type: 'interrupt',
    interrupts: [{ message: 'How many seats?', responseSchema: schema, metadata: { asked_by: 'mcp:s' } }],
  })
})

t.test('MCP: in the message, since hosts show the name of their own server', async t => {
  const { result } = await messagesTo(url)('tasks/get', { taskId: id })
  t.match(Object.values(result?.inputRequests ?? {}), [
    { params: { message: 'mcp:s asks: How many seats?', requestedSchema: { properties: { seats: {} } } } },
  ])
})
