// The secret values of a fork: those of the copied task, and those that the caller of the fork gives.
import path from 'node:path'
import t from 'tap'
import { serveMcp } from '../mcp/servers/http.ts'
import { folderOf, linesOf } from '../mcp/support.ts'
import { serveHere } from '../support/server.ts'
import { script, tasksOf } from './agent-tasks.ts'
import { forksOf } from './fork-calls.ts'

const folder = folderOf(t)
const { api } = await serveHere(t, { ALLOW_PRIVATE_URLS: '1' })
const { post, becomes, get } = tasksOf(api)
const { fork } = forksOf(api)

const noting = (file: string) => ({ tool: 'place__note', arguments: { file, line: 'noted' } })
const serversAt = (url: string, key: string) => ({ place: { url, headers: { 'X-Key': key } } })

t.test('a fork of a task that has ended uses the headers that its caller gives', async t => {
  const place = await serveMcp(t)
  const file = path.join(folder, 'given')
  const agent_config = { ...script(noting(file)), tool_mcp_config: serversAt(place.url, 'old') }
  const { body } = await post({ agent_config })
  t.equal(body.result.status, 'completed')
  const made = await fork(body.result.id, {
    at: 0,
    agent_config: { tool_mcp_config: serversAt(place.url, 'new') },
  })
  t.equal((await becomes(made.id, 'completed', 'paused', 'failed')).status, 'completed')
  t.same(linesOf(file), ['noted', 'noted'])
  const keys = place.seen.map(headers => headers['x-key'])
  t.ok(keys.filter(key => key === 'new').length > 2)
})

t.test('a fork pauses while a value of the copied task is missing, also with new headers', async t => {
  const place = await serveMcp(t)
  const file = path.join(folder, 'missing')
  const agent_config = { ...script(noting(file)), tool_mcp_config: serversAt(place.url, 'old') }
  const { body } = await post({ agent_config, env: { KEY: 'value' } })
  const made = await fork(body.result.id, {
    at: 0,
    agent_config: { tool_mcp_config: serversAt(place.url, 'new') },
  })
  await becomes(made.id, 'paused')
  t.equal((await get(made.id)).metadata?.reason, 'secret_missing')
  t.same(linesOf(file), ['noted'], 'by the copied task alone')
})

t.test('a fork with other servers needs no headers of the copied task', async t => {
  const place = await serveMcp(t)
  const file = path.join(folder, 'open')
  const agent_config = { ...script(noting(file)), tool_mcp_config: serversAt(place.url, 'old') }
  const { body } = await post({ agent_config })
  const open = { tool_mcp_config: { place: { url: place.url } } }
  const made = await fork(body.result.id, { at: 0, agent_config: open })
  t.equal((await becomes(made.id, 'completed', 'paused', 'failed')).status, 'completed')
  t.same(linesOf(file), ['noted', 'noted'])
})
