// Questions of MCP servers beside other calls, in subagents, in agents that are code, and in tasks that pause.
import t from 'tap'
import { divideIntoTurns } from '../../../src/doors/turns.ts'
import { envCalls } from '../../http/env-calls.ts'
import { until } from '../../support/http.ts'
import { serveHere } from '../../support/server.ts'
import { follow } from '../../support/sse.ts'
import {
  answer,
  askingPlace,
  askingPrograms,
  asksIn,
  bodyFor,
  deedsIn,
  saidIn,
  taskIn,
  taskNow,
  whenIt,
} from './asked.ts'

const agents = t.testdir({
  'books.mjs': `import { agent } from 'reprise/agent'
export default agent(async ctx => 'It said: ' + await ctx.tool('s__book', { file: ctx.input.text }))`,
  'both.mjs': `import { agent } from 'reprise/agent'
export default agent(async ctx => 'It said: ' + await ctx.tool('s__both', { file: ctx.input.text }))`,
})
const [newer, older] = [await askingPlace(t, true), await askingPlace(t, false)]
const { api } = await serveHere(t, { ...newer.env, ...askingPrograms(t), AGENT_PATH: agents })

t.test('two calls of a step that ask run on one by one', async t => {
  for (const modern of [true, false]) {
    const { server } = modern ? newer : older
    const deeds = deedsIn(t)
    const { agent_config, ...body } = bodyFor(server, 'book', {})
    const book = { tool: 's__book', arguments: { file: deeds.file } }
    const script = [{ tools: [book, book] }, { message: 'done' }]
    const { id } = await taskIn(
      await api('POST', '/tasks', { ...body, agent_config: { ...agent_config, script } }),
    )
    await until(async () => asksIn(await taskNow(api, id)).length === 2)
    await answer(api, await taskNow(api, id), { seats: 1 })
    await until(() => deeds.answers().length === 1)
    const other = await whenIt(api, id, 'input-required')
    await until(async () => asksIn(await taskNow(api, id)).length === 1)
    await answer(api, await taskNow(api, other.id), { seats: 2 })
    const done = await whenIt(api, id, 'completed')
    t.equal(
      done.output.filter(({ type, status }) => type === 'tool_result' && status === 'completed').length,
      2,
    )
    t.same(
      deeds.answers().map(({ seats }) => seats?.content),
      [
        { seats: 1, window: true },
        { seats: 2, window: true },
      ],
    )
  }
})

t.test('a question goes over to the call that asked it when another one ends first', async t => {
  const { server } = older
  const deeds = deedsIn(t)
  const { agent_config, ...body } = bodyFor(server, 'book', {})
  const script = [
    {
      tools: [
        { tool: 's__book', arguments: { file: deeds.file } },
        { tool: 's__rest', arguments: { file: deeds.file } },
      ],
    },
    { message: 'done' },
  ]
  const { id } = await taskIn(
    await api('POST', '/tasks', { ...body, agent_config: { ...agent_config, script } }),
  )
  const task = await whenIt(api, id, 'input-required')
  t.equal(task.output.filter(({ type }) => type === 'tool_result').length, 1, 'the other call has ended')
  await answer(api, task, { seats: 4 })
  await whenIt(api, id, 'completed')
  t.match(deeds.answers(), [{ seats: { content: { seats: 4 } } }])
})

t.test('a server that waits no longer takes its question back', async t => {
  const server = {}
  const { id } = await taskIn(
    await api('POST', '/tasks', bodyFor(server, 'impatient', { file: deedsIn(t).file })),
  )
  const task = await whenIt(api, id, 'completed')
  t.match(saidIn(task), /nobody answered/)
  t.same(asksIn(task), [])
})

t.test('a question of a subagent is answered at its caller', async t => {
  const { server } = newer
  const deeds = deedsIn(t)
  const { agent_config, ...body } = bodyFor(server, 'book', {})
  const book = { tool: 's__book', arguments: { file: deeds.file } }
  const input = JSON.stringify([book, { message: 'from below' }])
  const script = [{ subagent: 'script', input }, { message: '$result' }]
  const { id } = await taskIn(
    await api('POST', '/tasks', { ...body, agent_config: { ...agent_config, script } }),
  )
  const task = await whenIt(api, id, 'input-required')
  t.match(asksIn(task), [{ metadata: { asked_by: 'mcp:s' } }])
  t.equal((await answer(api, task, { seats: 100 })).status, 422, 'its form is checked there, too')
  await answer(api, task, { seats: 3 })
  t.match(saidIn(await whenIt(api, id, 'completed')), /from below/)
  t.match(deeds.answers(), [{ seats: { content: { seats: 3 } } }])
})

t.test('a message beside the answer to a question of a subagent is taken with it', async t => {
  const deeds = deedsIn(t)
  const { agent_config, ...body } = bodyFor(newer.server, 'book', {})
  const book = { tool: 's__book', arguments: { file: deeds.file } }
  const script = [
    { subagent: 'script', input: JSON.stringify([book, { message: 'from below' }]) },
    { message: '$result' },
  ]
  const { id } = await taskIn(
    await api('POST', '/tasks', { ...body, agent_config: { ...agent_config, script } }),
  )
  const [question] = asksIn(await whenIt(api, id, 'input-required'))
  const result = { type: 'tool_result', call_id: question?.call_id, message_content: '{"seats":3}' }
  const send = (user_message_content: string) =>
    api('POST', '/tasks', {
      ...{ task_id: id, user_message_content, stream: false, background: true },
      history_messages: [{ ...result, block_list: [] }],
    })
  t.equal((await send('and be quick')).status, 200)
  t.equal((await send('and be quick')).status, 200, 'a repetition is taken, too')
  t.equal((await send('and be slow')).status, 400, 'another message is none')
  await whenIt(api, id, 'completed')
  t.match(deeds.answers(), [{ seats: { content: { seats: 3 } } }])
})

t.test('the stream of a request that answers begins behind its answer', async t => {
  const { id } = await taskIn(
    await api('POST', '/tasks', bodyFor(newer.server, 'book', { file: deedsIn(t).file })),
  )
  const task = await whenIt(api, id, 'input-required')
  const call_id = asksIn(task)[0]?.call_id
  const stream = await follow(
    api('POST', '/tasks', {
      ...{ task_id: id, user_message_content: '', stream: true },
      history_messages: [{ type: 'tool_result', call_id, message_content: '{"seats":2}', block_list: [] }],
    }),
  )
  const frames = await stream.until(all => all.some(({ type }) => type === 'task.completed'))
  await stream.cut()
  const types = frames.map(({ type }) => type)
  t.notOk(types.includes('task.created'), 'what came before the answer is not sent again')
  t.notOk(types.includes('task.input_required'))
})

t.test('an answer to a question has no blocks', async t => {
  const { id } = await taskIn(
    await api('POST', '/tasks', bodyFor(newer.server, 'book', { file: deedsIn(t).file })),
  )
  const task = await whenIt(api, id, 'input-required')
  const given = { call_id: asksIn(task)[0]?.call_id, message_content: '{"seats":2}' }
  const block_list = [{ type: 'text', text: 'hi' }]
  const refused = await api('POST', `/tasks/${id}/input`, { tool_results: [{ ...given, block_list }] })
  t.equal(refused.status, 422)
  t.match(await refused.text(), /block_list/)
  t.equal((await taskNow(api, id)).status, 'input-required', 'it still waits')
  for (let n = 0; n < 2; n++) {
    t.equal((await api('POST', `/tasks/${id}/input`, { tool_results: [given] })).status, 200)
  }
  await whenIt(api, id, 'completed')
})

t.test('no new task of the session takes the answer in place of the call that asks', async t => {
  const { server } = newer
  const { id } = await taskIn(await api('POST', '/tasks', bodyFor(server, 'book', { file: deedsIn(t).file })))
  const { session_id, ...task } = await whenIt(api, id, 'input-required')
  const result = { type: 'tool_result', call_id: asksIn(task)[0]?.call_id, message_content: '{"seats":2}' }
  const body = {
    ...{ user_message_content: '', stream: false, session_id },
    history_messages: [{ ...result, block_list: [] }],
  }
  const refused = await api('POST', '/tasks', body)
  t.equal(refused.status, 400)
  t.match(await refused.text(), new RegExp(`the task ${id}`))
  t.equal((await api('POST', '/tasks', { ...body, task_id: id })).status, 200, 'the task itself takes it')
  t.equal((await whenIt(api, id, 'completed')).status, 'completed')
})

t.test('a task pauses while it is asked, and asks again when it is resumed', async t => {
  for (const modern of [true, false]) {
    const { server } = modern ? newer : older
    const deeds = deedsIn(t)
    const { agent_config, ...body } = bodyFor(server, 'chain', {})
    const slow = {
      tool: 'run_javascript',
      arguments: { code: 'const end = Date.now() + 1500; while (Date.now() < end); 1' },
    }
    const script = [{ tools: [{ tool: 's__book', arguments: { file: deeds.file } }, slow] }, { message: 'x' }]
    const { id } = await taskIn(
      await api('POST', '/tasks', { ...body, agent_config: { ...agent_config, script } }),
    )
    await until(() => deeds.lines().length === 1)
    t.equal((await api('POST', `/tasks/${id}/pause`)).status, 200)
    await whenIt(api, id, 'paused')
    t.equal((await api('POST', `/tasks/${id}/resume`)).status, 200)
    await answer(api, await whenIt(api, id, 'input-required'), { seats: 8 })
    await whenIt(api, id, 'completed')
    t.match(deeds.answers(), [{ seats: { content: { seats: 8 } } }])
    t.equal(deeds.lines().length, 2, 'the call did not begin again')
  }
})

t.test('an agent that is code waits with the tool that it has called', async t => {
  for (const modern of [true, false]) {
    const { server } = modern ? newer : older
    const deeds = deedsIn(t)
    const tool_mcp_config = { mcpServers: { s: server } }
    const { id } = await taskIn(
      await api('POST', '/tasks', {
        ...{ user_message_content: deeds.file, stream: false, background: true },
        agent_config: { agent_id: 'books', tool_mcp_config },
      }),
    )
    const task = await whenIt(api, id, 'input-required')
    t.match(asksIn(task), [{ metadata: { asked_by: 'mcp:s' } }])
    t.equal((await answer(api, task, { seats: 6 })).status, 200)
    t.match((await whenIt(api, id, 'completed')).output.at(-1), { type: 'message' })
    t.match(deeds.answers(), [{ seats: { content: { seats: 6 } } }])
  }
})

t.test('a tool of code that asks two questions waits for both answers', async t => {
  const deeds = deedsIn(t)
  const tool_mcp_config = { mcpServers: { s: newer.server } }
  const { id } = await taskIn(
    await api('POST', '/tasks', {
      ...{ user_message_content: deeds.file, stream: false, background: true },
      agent_config: { agent_id: 'both', tool_mcp_config },
    }),
  )
  const task = await whenIt(api, id, 'input-required')
  const [first, second] = asksIn(task)
  t.equal((await answer(api, task, { name: 'Ada' })).status, 200)
  const half = await taskNow(api, id)
  t.same([half.status, asksIn(half)], ['input-required', [second]], 'the other one is still asked')
  t.not(first?.call_id, second?.call_id)
  t.equal((await answer(api, half, { day: 'Monday' })).status, 200)
  t.equal((await whenIt(api, id, 'completed')).status, 'completed')
  t.match(deeds.answers(), [{ name: { content: { name: 'Ada' } }, day: { content: { day: 'Monday' } } }])
})

t.test('the server of an environment session has no user to ask, and its step says so', async t => {
  for (const modern of [true, false]) {
    const deeds = deedsIn(t)
    const { create, step } = envCalls(api)
    const { body } = await create({ env_id: 'mcp', env_init_kwargs: { server: modern ? 'new' : 's' } })
    const { status, text } = await step(body.session_id, 'book', { file: deeds.file })
    t.equal(status, 200)
    t.match(text, /capabilit/i, 'the server knows that nobody can answer')
    t.same(deeds.answers(), [])
  }
})

t.test('each question ends a turn of the task, for the protocols of doors', async t => {
  const { server } = newer
  const { id } = await taskIn(
    await api('POST', '/tasks', bodyFor(server, 'chain', { file: deedsIn(t).file })),
  )
  await answer(api, await whenIt(api, id, 'input-required'), { city: 'Bern' })
  await answer(api, await whenIt(api, id, 'input-required'), { city: 'Graz' })
  await whenIt(api, id, 'completed')
  const stream = await follow(api('GET', `/tasks/${id}/events`, undefined, { accept: 'text/event-stream' }))
  const frames = await stream.until(all => all.some(({ type }) => type === 'task.completed'))
  await stream.cut()
  const beatOf = divideIntoTurns()
  const turns = frames.map(frame => beatOf(frame as never))
  t.equal(turns.filter(({ asked }) => asked !== undefined).length, 2)
  t.equal(new Set(turns.map(({ turn }) => turn)).size, 3)
})
