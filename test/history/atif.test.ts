// A task as an ATIF trajectory: what it was told, what its agent did, what came back.
import t from 'tap'
import type { CreateTaskBody } from '../../src/contract/wire.ts'
import { admin, crashed, givenSystem, quiet } from '../support/system.ts'
import { clientTool, outside } from '../support/tools.ts'
import { documentOf, outline, played, stepWith } from './atif-told.ts'

t.test('an echo is a user and an agent who repeats', async t => {
  const system = await givenSystem({ build: '9.9.9+test' })
  t.teardown(() => system.close())
  const given = { session_id: 's1', user_id: 'anna', metadata: { label: 'x' } }
  const taskId = await system.create({ user_message_content: ['a', { type: 'text', text: 'b' }], ...given })
  await quiet(system)
  const time = '2026-01-01T00:00:00.000Z'
  const document = await documentOf(t, system, taskId)
  t.match(document.agent.extra, { agent_id: /^agent_/ })
  t.same(
    { ...document, agent: { ...document.agent, extra: {} } },
    {
      schema_version: 'ATIF-v1.7',
      session_id: 's1',
      trajectory_id: taskId,
      agent: { name: 'echo', version: '9.9.9+test', extra: {} },
      steps: [
        { step_id: 1, timestamp: time, source: 'user', message: 'a\nb' },
        { step_id: 2, timestamp: time, source: 'agent', message: 'ab', extra: { agent_step: 1 } },
      ],
      final_metrics: { total_steps: 2 },
      extra: { status: 'completed', user_id: 'anna', metadata: { label: 'x' } },
    },
  )
})

t.test('calls stand with their results in the step that made them, whoever answered', async t => {
  const tools = [
    { tool: 'count', arguments: { n: 1 } },
    { tool: 'nobody' },
    { tool: 'read' },
    { tool: 'ask' },
  ]
  const { system, taskId, document } = await played(
    t,
    [{ reasoning: 'hm' }, { tools }, { message: 'then $result' }],
    {
      client_tools: [clientTool('ask')],
    },
  )
  const waiting = stepWith(document, 'ask')
  t.same(document.agent.tool_definitions, [clientTool('ask')])
  t.equal(waiting?.observation?.results.length, 3, 'the client has not answered')
  t.same(waiting?.tool_calls?.[0]?.arguments, { n: 1 })

  const [call] = system.get(taskId).metadata.pending_inputs
  const answer = { callId: call.call_id, itemId: 'tr_client', content: 'yes', blocks: [{ type: 'chart' }] }
  await system.commands.input(admin, taskId, 'req', [answer])
  await quiet(system)
  const done = await documentOf(t, system, taskId)
  t.same(outline(done), [
    'user hello',
    'agent',
    'agent count() nobody() read() ask() = there is no tool "nobody", done, done, yes',
    'agent then yes',
  ])
  t.equal(done.steps[1]?.reasoning_content, 'hm')
  const [refused, , , answered] = done.steps[2]?.observation?.results ?? []
  t.match(refused?.extra, { status: 'incomplete' })
  t.match(answered?.extra, { block_list: [{ type: 'chart' }], timestamp: /^2026-/ })
})

t.test("subagents' documents are in their caller's, found by the result that they gave", async t => {
  const below = JSON.stringify([
    { usage: { input_tokens: 2, output_tokens: 1 } },
    { subagent: 'echo', input: 'deep' },
    { message: 'from below' },
  ])
  const { document } = await played(t, [
    { subagent: 'script', input: below },
    { subagent: 'echo', input: 'beside' },
    { usage: { input_tokens: 5, output_tokens: 7, total_tokens: 12 } },
  ])
  const [child, beside] = document.subagent_trajectories ?? []
  t.same(outline(document), [
    'user hello',
    'agent agent_script() = from below',
    'agent agent_echo() = beside',
    'agent',
  ])
  t.same(document.steps[1]?.observation?.results[0]?.subagent_trajectory_ref, [
    { trajectory_id: child?.trajectory_id, session_id: document.session_id },
  ])
  t.equal(beside?.agent.name, 'echo')
  t.equal(child?.extra?.parent_task_id, document.trajectory_id)
  t.equal(child?.steps[1]?.metrics?.prompt_tokens, 2)
  t.same(
    child?.subagent_trajectories?.map(inner => outline(inner)),
    [['user deep', 'agent deep']],
    'and so on down',
  )
  t.match(document.final_metrics, { total_prompt_tokens: 5, total_completion_tokens: 7, total_steps: 4 })
  t.match(child?.final_metrics, { total_prompt_tokens: 2, total_completion_tokens: 1 })
})

t.test('a message is a step where the agent saw it; one that nobody saw is none', async t => {
  const { system, taskId } = await played(t, [{ sleep_ms: 500 }, { sleep_ms: 500 }, { message: 'after' }])
  await system.world.advance(100)
  const call = { isRetry: false } as Parameters<typeof system.commands.message>[4]
  await system.commands.message(admin, taskId, 'req_1', 'be quick', call)
  t.same(outline(await documentOf(t, system, taskId)), ['user hello'], 'not seen yet')
  await system.world.advance(500)
  const seen = await documentOf(t, system, taskId)
  t.same(outline(seen), ['user hello', 'agent', 'user be quick'])
  t.equal(seen.steps[2]?.timestamp, '2026-01-01T00:00:00.500Z')
  await system.commands.message(admin, taskId, 'req_2', 'too late', call)
  await system.commands.cancel(admin, taskId, 'req_3')
  t.same(outline(await documentOf(t, system, taskId)), ['user hello', 'agent', 'user be quick'])
})

t.test('what failed and what was canceled is told as far as it came, and how it ended', async t => {
  const { document } = await played(t, [{ message: 'a' }, { fail: { code: -32000, message: 'no' } }])
  t.same(outline(document), ['user hello', 'agent a'])
  t.match(document.extra, { status: 'failed', error: { code: -32000, message: 'no' } })

  const { system, taskId } = await played(t, [{ message: 'whole' }, { message: 'one two', delta_ms: 500 }])
  t.match((await documentOf(t, system, taskId)).extra, { status: 'working' })
  await system.commands.cancel(admin, taskId, 'req')
  const canceled = await documentOf(t, system, taskId)
  t.same(outline(canceled), ['user hello', 'agent whole'], 'half a message is no step')
  t.match(canceled.extra, { status: 'canceled' })
})

t.test('an abandoned step leaves nothing; the one that took its place is there once', async t => {
  const system = await givenSystem()
  const taskId = await system.play([{ message: 'one two three', delta_ms: 100 }])
  await system.world.advance(180)
  const again = await crashed(system)
  t.teardown(() => again.close())
  t.same(outline(await documentOf(t, again, taskId)), ['user hello'])
  await again.world.advance(2000)
  t.same(outline(await documentOf(t, again, taskId)), ['user hello', 'agent one two three'])
})

t.test('a call that was cut off has no result', async t => {
  const slow = outside('slow', { waits: true })
  const system = await givenSystem({ tools: [slow.tool] })
  t.teardown(() => system.close())
  const taskId = await system.play([{ tool: 'slow' }, { message: 'never' }])
  await system.world.advance(100)
  await system.commands.cancel(admin, taskId, 'req')
  t.same(outline(await documentOf(t, system, taskId)), ['user hello', 'agent slow()'])
})

t.test('what was there before is copied context: what the caller gave, or else the session', async t => {
  const { system } = await played(t, [{ tools: [{ tool: 'count' }, { tool: 'read' }] }, { message: 'so' }], {
    session_id: 's1',
  })
  const call = (n: number) => ({ type: 'tool_call' as const, call_id: `c${n}`, name: 'old', arguments: '{}' })
  const result = (n: number) => ({
    type: 'tool_result' as const,
    call_id: `c${n}`,
    message_content: `r${n}`,
    block_list: [],
  })
  const says = (role: 'user' | 'assistant' | 'system' | 'developer', message_content: string) => ({
    type: 'message' as const,
    role,
    message_content,
  })
  const taskId = await system.create({
    session_id: 's1',
    agent_config: { agent_id: 'echo', developer_prompt: 'Be kind.' },
    history_messages: [
      says('developer', 'rules'),
      says('user', 'before'),
      { type: 'reasoning', id: 'rs_1', summary: [], content: [{ type: 'reasoning_text', text: 'mm' }] },
      says('assistant', 'I look'),
      call(1),
      call(2),
      result(2),
      result(1),
      call(3),
      says('assistant', 'found'),
      result(9),
    ],
  })
  await quiet(system)
  const document = await documentOf(t, system, taskId)
  t.same(outline(document), [
    'system Be kind.',
    '(system rules)',
    '(user before)',
    '(agent I look old() old() = r1, r2)',
    '(agent old() = [no result was recorded for this call])',
    '(agent found unknown_tool() = r9)',
    'user hello',
    'agent hello',
  ])
  t.equal(document.steps[3]?.reasoning_content, 'mm')
  const next = await system.create({ session_id: 's1', agent_config: { agent_id: 'echo' } })
  await quiet(system)
  t.same(outline(await documentOf(t, system, next)).slice(0, 3), [
    '(user hello)',
    '(agent count() read() = done, done)',
    '(agent so)',
  ])
})

t.test('images are named by their URL; what the format cannot hold is named, and kept beside', async t => {
  const image = (url: string) => ({ type: 'input_image' as const, image_url: { url } })
  const audio = { type: 'input_audio' as const, input_audio: { data: 'AAAA', format: 'wav' } }
  const shown = async (content: CreateTaskBody['user_message_content']) => {
    const { document } = await played(t, [{ message: 'a' }], { user_message_content: content })
    return document.steps[0]
  }
  const data = 'data:image/png;base64,AAAA'
  t.match(await shown(['look', image(data), image('https://a.example/b.c/x.JPG?v=1#.gif')]), {
    message: [
      { type: 'text', text: 'look' },
      { type: 'image', source: { media_type: 'image/png', path: data } },
      { type: 'image', source: { media_type: 'image/jpeg', path: 'https://a.example/b.c/x.JPG?v=1#.gif' } },
    ],
    extra: undefined,
  })
  const unknown = image('https://a.example/picture')
  t.match(await shown(['hear', audio, unknown]), {
    message: 'hear\n[input_audio]\n[input_image]',
    extra: { message_content: ['hear', audio, unknown] },
  })
  t.match(await shown([]), { message: '', extra: undefined })
})

t.test('rewards stand with the task', async t => {
  const { system, taskId } = await played(t, [{ message: 'a' }])
  await system.commands.reward(admin, taskId, 'req', { value: 0.5, name: 'style', data: { by: 'hand' } })
  await system.commands.reward(admin, taskId, 'req', { value: -1 })
  t.match((await documentOf(t, system, taskId)).extra, {
    reward: -1,
    rewards: [{ value: 0.5, name: 'style', data: { by: 'hand' } }, { value: -1 }],
  })
})

t.test('a task that waits for its turn has been told something already', async t => {
  const { system } = await played(t, [{ sleep_ms: 1000 }], { session_id: 's1' })
  const taskId = await system.create({ session_id: 's1', user_message_content: 'next' })
  await quiet(system)
  t.same(outline(await documentOf(t, system, taskId)), ['user next'])
})

t.test('a task that another one continued says which', async t => {
  const given = { session_id: 's1', client_tools: [clientTool('ask')] }
  const { system, taskId } = await played(t, [{ tool: 'ask' }, { message: 'never' }], given)
  const { call_id } = system.get(taskId).input_required
  const result = { type: 'tool_result' as const, call_id, message_content: 'yes', block_list: [] }
  const next = await system.create({ session_id: 's1', history_messages: [result], user_message_content: '' })
  await quiet(system)
  const first = await documentOf(t, system, taskId)
  t.same(outline(first), ['user hello', 'agent ask() = yes'])
  t.equal(first.extra?.continued_by, next)
  const second = await documentOf(t, system, next)
  t.same(outline(second), ['(user hello)', '(agent ask() = yes)', 'user', 'agent'])
  t.equal(second.extra?.previous_task_id, taskId)
})
