// What tools say while they run: stored as it comes, told as deltas of the result, and the same to whoever reads it later.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { until } from '../support/http.ts'
import { withWorkspaces } from '../support/sandbox.ts'
import { spawnServer } from '../support/server.ts'
import { type AgentTask, callId, holds, outline, resultsOf, tasksOf } from './agent-tasks.ts'
import { envCalls, modules } from './env-calls.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'reprise-output-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const MCP_CONFIG = path.join(folder, 'mcp.json')
const stdio = path.resolve(import.meta.dirname, '../mcp/servers/stdio.mjs')
writeFileSync(
  MCP_CONFIG,
  JSON.stringify({ mcpServers: { tools: { command: process.execPath, args: [stdio] } } }),
)
const settings = { ...withWorkspaces, ENV_PATH: modules, MCP_CONFIG, DRAIN_SECONDS: '0' }
const dataDir = path.join(folder, 'data')
const server = await spawnServer(t, dataDir, settings)
const tasks = tasksOf(server.api)
const { play, frames, act, becomes, get } = tasks
const env = envCalls(server.api)

type Delta = { delta_message_content: unknown; delta_block_list: unknown[] }
const deltasOf = async (task: AgentTask) =>
  (await frames(task.id)).filter(({ type }) => type === 'task.tool_result.delta') as unknown as Delta[]
const firstResult = (task: AgentTask) => String(resultsOf(task)[0]?.message_content)
const end = { message: 'so: $result' }

t.test('a shell command is heard while it runs, and its result is the sum of what was heard', async t => {
  const session_id = await env.made({ env_class_path: 'workspace' })
  const command = 'echo begun; while [ ! -e go ]; do sleep 0.05; done; echo over; exit 3'
  const task = await play([{ tool: 'shell', arguments: { command } }, end], { session_id, background: true })
  await until(async () => (await deltasOf(task)).length > 0)
  const { output } = await get(task.id)
  t.match(output.at(-1), { type: 'tool_result', status: 'in_progress', message_content: 'begun\n' })
  await act(task.id, 'cancel')
  const canceled = await becomes(task.id, 'canceled')
  t.match(resultsOf(canceled), [{ status: 'incomplete', message_content: 'begun\n' }])
  await holds(t, tasks, task.id)

  const short = { tool: 'shell', arguments: { command: 'echo begun; sleep 0.3; echo over; exit 3' } }
  const whole = await play([short, end], { session_id })
  t.match(firstResult(whole), /^begun\nover\n\[Exit code 3\]$/, 'nothing is said twice')
  const deltas = await deltasOf(whole)
  t.ok(deltas.length >= 2, 'more than one delta')
  t.equal(deltas.map(delta => delta.delta_message_content).join(''), firstResult(whole))
  await holds(t, tasks, whole.id)
  const long = { tool: 'shell', arguments: { command: 'for i in $(seq 20000); do echo line $i; done' } }
  await holds(t, tasks, (await play([long, end], { session_id })).id)
})

t.test('so is what an environment says in a step, whatever its result repeats', async t => {
  const session_id = await env.made()
  const said = await play([{ tool: 'say', arguments: { words: 'one two' } }, end], { session_id })
  t.equal(said.status, 'completed')
  t.match(JSON.stringify(resultsOf(said)[0]?.message_content), /one two .*one two/)
  t.match(resultsOf(said)[0]?.block_list, [{ type: 'said' }])
  await holds(t, tasks, said.id)
  const quiet = await play([{ tool: 'add', arguments: { by: 1 } }, end], { session_id })
  t.same(await deltasOf(quiet), [], 'a tool that says nothing gives its result whole')
  await holds(t, tasks, quiet.id)
})

t.test('so is the progress of a call of an MCP server', async t => {
  const agent_config = {
    agent_id: 'script',
    script: [{ tool: 'tools__progress' }, end],
    tool_mcp_config: { tools: {} },
  }
  const { body } = await tasks.post({ agent_config })
  t.equal(firstResult(body.result as AgentTask), 'one of two\ntwo of two\ndone')
  const deltas = await deltasOf(body.result as AgentTask)
  t.equal(deltas[0]?.delta_message_content?.toString().startsWith('one of two\n'), true)
  await holds(t, tasks, body.result.id)
})

t.test('after a kill what was said stays, and the result goes on from it or stands beside it', async t => {
  const agent_config = {
    agent_id: 'script',
    script: [{ tool: 'hold', arguments: { file: path.join(folder, 'go') } }, end],
  }
  const session_id = await env.made({ session_id: 'held' })
  const task = await play(agent_config.script, { session_id, background: true })
  await until(async () => (await deltasOf(task)).length === 1)
  const before = await frames(task.id)
  await server.end('SIGKILL')
  writeFileSync(path.join(folder, 'go'), '')
  const again = await spawnServer(t, dataDir, settings)
  const later = tasksOf(again.api)
  const done = await later.becomes(task.id, 'completed', 'paused')
  t.same(
    (await later.frames(task.id)).slice(0, before.length),
    before,
    'a viewer who comes back sees the same',
  )
  if (done.status === 'paused')
    await later.answer(done.id, { call_id: callId(done), message_content: 'given' })
  const over = await later.becomes(task.id, 'completed')
  t.equal(outline(over).at(-1), 'message completed')
  t.ok(existsSync(path.join(folder, 'go')))
  await holds(t, later, task.id)
})
