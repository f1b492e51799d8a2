// How long a task waits for its client, and for its subagents.
import t from 'tap'
import { read, until } from '../support/http.ts'
import { serveHere } from '../support/server.ts'
import { type AgentTask, callId, holds, outline, tasksOf, tool } from './agent-tasks.ts'

// A busy machine may need seconds for what a test does before a task expires.
const { api } = await serveHere(t, { TASK_TTL_INPUT_REQUIRED: '8' })
const tasks = tasksOf(api)
const { play, answer, becomes, act } = tasks
t.jobs = 3 // they mostly wait

t.test('a task whose client does not answer expires, and takes no answer then', async t => {
  const task = await play([{ tool: 'ask' }], { client_tools: [tool('ask')] })
  const { expires_at } = task.metadata as { expires_at: number }
  t.ok(expires_at >= task.created_at && expires_at <= Math.ceil(Date.now() / 1000) + 8)
  const expired = await becomes(task.id, 'expired')
  t.notOk(expired.input_required)
  t.same(expired.metadata, { agent: 'script' })
  const late = await answer(task.id, { call_id: callId(task), message_content: 'late' })
  t.match(late, { status: 400, body: { code: -32020, data: { status: 'expired' } } })
  t.match(await act(task.id, 'cancel'), { status: 400, body: { code: -32002 } })
  await holds(t, tasks, task.id)
})

t.test('an answer to one call of two does not prolong the wait', async t => {
  const tools = [{ tool: 'ask' }, { tool: 'ask' }]
  const task = await play([{ tools }], { client_tools: [tool('ask')] })
  const half = (await answer(task.id, { call_id: callId(task), message_content: '1' }))
    .body as unknown as AgentTask
  t.equal(half.metadata?.expires_at, task.metadata?.expires_at)
  t.same(outline(await becomes(task.id, 'expired')).at(-1), 'tool_result completed')
  await holds(t, tasks, task.id)
})

t.test('a caller hears when its subagent expires', async t => {
  const { api, lines } = await serveHere(t, { TASK_TTL_WORKING: '8' })
  const tasks = tasksOf(api)
  const session_id = 'silent-child'
  const task = await tasks.play([{ subagent: 'script', input: '[{"sleep_ms":60000}]' }, { message: 'on' }], {
    session_id,
  })
  t.equal(task.status, 'completed')
  t.same(outline(task).slice(1), ['tool_result incomplete', 'message completed'])
  t.match(task.output[1]?.message_content, /expired/)
  const list = await read(api('GET', `/tasks?session_id=${session_id}&include_subtasks=true&status=expired`))
  const [child] = list.body.result as unknown as AgentTask[]
  t.match(child, { status: 'expired', metadata: { parent_task_id: task.id } })
  await until(async () => (await tasks.get(task.id)).status === 'completed')
  await holds(t, tasks, task.id)
  t.same(
    lines.filter(({ level }) => level === 'error'),
    [],
  )
})
