// Group chats over HTTP: their streams, their events, what a create refuses, client tools, environments and models.
import t from 'tap'
import { type AgentTask, callId, holds, result, tasksOf, tool } from '../http/agent-tasks.ts'
import { envCalls, modules } from '../http/env-calls.ts'
import { allOf, listen } from '../http/event-streams.ts'
import { openSocket } from '../http/socket/client.ts'
import { fakeModel, says as modelSays } from '../support/fake-model.ts'
import { apiAs, type Item, type Problem, read, until } from '../support/http.ts'
import { natsServer, noNats, storedIn } from '../support/nats.ts'
import { serveHere } from '../support/server.ts'
import { blocks, framesOf } from '../support/sse.ts'
import { chatOf, linesOf, says } from './chats.ts'

const model = await fakeModel(t, [modelSays('ann'), modelSays('"bob"'), modelSays('END')])
const nats = noNats ? undefined : await natsServer(t)
const { api, system, url } = await serveHere(t, {
  ENV_PATH: modules,
  QUOTA_TASKS: '2',
  ...(nats === undefined ? {} : { NATS_URL: nats.url }),
  DEFAULT_AGENT: 'echo',
  ...model.env,
})
const tasks = tasksOf(api)
const { post, get, act, answer, becomes } = tasks
const body = (agents: object[], more: object = {}, around: object = {}) => ({
  ...(chatOf(agents, more) as object),
  ...around,
})

t.test('streamed, and cut and resumed after every frame, it is the same to the byte', async t => {
  const slow = { name: 'bob', agent_id: 'script', script: [{ message: 'b b', delta_ms: 150 }] }
  const stream = await tasks.stream(
    body([says('ann', 'a1', 'a2'), slow, says('cem', 'c')], {}, { stream: true }),
  )
  await stream.until(frames => frames.some(({ type }) => type === 'task.working'))
  const id = String(stream.frames()[0]?.task_id)
  t.equal((await act(id, 'messages', { content: 'I am here' })).status, 200)
  const posted = await stream.rest()
  await holds(t, tasks, id, posted)
  const said = linesOf((await get(id)).output)
  t.same(
    said.filter(line => !line.startsWith('user')),
    ['ann: a1', 'bob: b b', 'cem: c', 'ann: a2', 'bob: b b', 'cem: c'],
  )
  t.equal(said.filter(line => line === 'user: I am here').length, 1)
  const sse = { accept: 'text/event-stream' }
  const whole = blocks((await (await api('GET', `/tasks/${id}/events`, undefined, sse)).text()).slice(7))
  for (let n = 0; n < whole.length - 1; n++) {
    const rest = await (await api('GET', `/tasks/${id}/events?starting_after=${n}`, undefined, sse)).text()
    if (rest.slice(7) !== whole.slice(n + 1).join('')) t.fail(`after ${n}`)
  }
  t.equal(framesOf(posted).length, whole.length)
  const rollouts = await read(api('GET', `/tasks/${id}/rollouts?include_subagent_rollout=true`))
  t.equal(rollouts.status, 200)
  t.equal((await read(api('GET', `/tasks/${id}/rollouts?format=atif`))).status, 200)
})

t.test('its events have exactly the fields of the contract, on /api/events, /ws and NATS', async t => {
  const socket = await openSocket(url)
  await socket.ask({ type: 'subscribe', channels: ['group'] })
  const before = (await allOf(system.log)).at(-1)?.id ?? 0
  const { body: made } = await post(body([says('ann', 'a')], { max_rounds: 1 }))
  const names = 'GroupChatMessage,GroupChatAgentThinking,GroupChatAgentResponse'
  const all = (await allOf(system.log)).filter(({ id, type }) => id > before && names.includes(type))
  const common = ['type', 'timestamp', 'group_chat_id', 'agent_id', 'name', 'round']
  t.same(
    all.map(({ type, body }) => [type, Object.keys(body)]),
    [
      ['GroupChatAgentThinking', common],
      ['GroupChatAgentResponse', [...common, 'task_id', 'content', 'usage']],
      ['GroupChatMessage', [...common, 'message_id', 'role', 'content']],
    ],
  )
  const briefly = (heard: { id?: number; type: string }[]) => heard.map(({ id, type }) => `${id} ${type}`)
  await until(() => socket.told().length === 3)
  t.same(briefly(socket.told()), briefly(all), 'on /ws')
  await socket.cut()
  if (!noNats) {
    const connection = await nats?.client(t)
    const sent = async () =>
      connection === undefined
        ? []
        : (await storedIn(connection)).filter(({ subject }) => subject.includes(made.result.id))
    const chats = async () => (await sent()).filter(({ subject }) => subject.includes('.group_chat.'))
    await until(async () => (await chats()).length === 3)
    t.same(
      (await chats()).map(({ body }) => JSON.parse(body)),
      all.map(({ body }) => body),
      'on NATS',
    )
  }
  for (const filter of [`task_id=${made.result.id}`, `session_id=${made.result.session_id}`]) {
    const stream = await listen(url, { query: `starting_after=${before}&types=${names}&${filter}` })
    await until(() => stream.heard().length === 3)
    t.same(
      stream.heard().map(({ id }) => id),
      all.map(({ id }) => id),
      filter,
    )
    await stream.cut()
  }
})

const told = (detail: Problem[] | undefined) =>
  (detail ?? []).map(({ loc, msg }) => `${loc.join('.')} ${msg}`)

t.test('a create says all that is wrong with a chat', async t => {
  const problems = async (agents: object[], more: object = {}, around: object = {}) =>
    told((await post(body(agents, more, around))).body.detail)
  t.match(await problems([says('ann', 'a'), says('ann', 'b')], { order: 'shuffled' }), [/order/])
  const wrong = [
    says('ann', 'a'),
    says('ann', 'b'),
    { agent_id: 'nobody', name: 'x y' },
    says('user', 'x'),
    { agent_id: 'group', name: 'g' },
  ]
  const all = await problems(wrong, { max_round: 2, moderator: says('m', 'x') }, { structured_output: {} })
  for (const part of [
    /max_round/,
    /Two speakers/,
    /1 to 64/,
    /cannot be the name/,
    /no agent "nobody"/,
    /cannot speak in another/,
    /Only the order/,
    /structured/,
  ]) {
    t.ok(
      all.some(line => part.test(line)),
      String(part),
    )
  }
  t.match(told((await post({ agent_config: { agent_id: 'group' } })).body.detail), [/group.*required/i])
  t.match(
    told(
      (await post({ agent_config: { agent_id: 'echo', group: { agents: [says('a', 'b')], order: 'free' } } }))
        .body.detail,
    ),
    [/needs the agent/],
  )
})

t.test('a moderator that is a model chooses who speaks', async t => {
  const moderator = { agent_id: 'model', developer_prompt: 'Be fair.' }
  const made = await post(
    body([says('ann', 'a'), says('bob', 'b')], { order: 'moderator', moderator, max_rounds: 5 }),
  )
  t.equal(made.body.result.status, 'completed')
  t.same(linesOf(made.body.result.output), ['ann: a', 'bob: b'])
  const sent = JSON.parse(String(model.asked.at(-1)?.body))
  const { messages } = sent as { messages: { role: string; name?: string; content: string }[] }
  t.same(
    messages.map(({ role, name }) => `${role} ${name}`),
    ['system undefined', 'user user', 'user ann', 'user bob', 'user undefined'],
  )
  t.match(messages[0]?.content, /^Be fair\.\n\nYou moderate/)
  await holds(t, tasks, made.body.result.id)
})

t.test('two speakers share the environment of the chat', async t => {
  const env = envCalls(api)
  const session_id = await env.made()
  const adds = (name: string, by: number) => ({
    name,
    agent_id: 'script',
    script: [{ tool: 'add', arguments: { by } }, { message: 'done' }],
  })
  const made = await post(body([adds('ann', 2), adds('bob', 3)], {}, { session_id }))
  t.same(linesOf(made.body.result.output), ['ann: done', 'bob: done', 'ann: done', 'bob: done'])
  t.match((await env.observe(session_id)).body.state, { total: 10 })
})

for (const where of ['chat', 'turn'] as const) {
  t.test(`the chat waits for a client tool of a speaker, answered at the ${where}`, async t => {
    const asks = { name: 'ann', agent_id: 'script', script: [{ tool: 'ask' }, { message: 'so $result' }] }
    const given = body(
      [asks, says('bob', 'b')],
      { max_rounds: 1 },
      { client_tools: [tool('ask')], background: true },
    )
    const { id } = (await post(given)).body.result
    const chat = await becomes(id, 'input-required')
    const [waits] = (chat.metadata?.pending_inputs ?? []) as unknown as { call_id: string }[]
    t.same(chat.input_required, waits)
    const all = await read(api('GET', `/tasks?session_id=${chat.session_id}&include_subtasks=true`))
    const turn = (all.body.result as unknown as { id: string; metadata: { agent: string } }[]).find(
      ({ metadata }) => metadata.agent === 'script',
    )
    const at = where === 'chat' ? id : String(turn?.id)
    t.equal(callId(await get(String(turn?.id))), waits?.call_id)
    const result = { call_id: waits?.call_id, message_content: 'yes' }
    t.equal((await answer(at, result)).status, 200)
    t.equal((await answer(at, result)).status, 200, 'the same answer again changes nothing')
    t.same(linesOf((await becomes(id, 'completed')).output), ['ann: so yes', 'bob: b'])
    await holds(t, tasks, id)
  })
}

/** A chat whose first speaker waits for a client tool. */
const waitingChat = async (...agents: object[]): Promise<AgentTask> =>
  (await post(body(agents, { max_rounds: 1 }, { client_tools: [tool('ask')] }))).body.result

t.test('a streamed answer given through the chat begins after the answer', async t => {
  const steps = [{ tool: 'ask' }, { tool: 'ask' }, { message: 'so $result' }]
  const asks = { name: 'ann', agent_id: 'script', script: steps }
  const chat = await waitingChat(asks)
  const waiting = (await tasks.frames(chat.id)).at(-1)
  t.equal(waiting?.type, 'task.input_required')
  const given = (told: typeof waiting) => ({
    task_id: chat.id,
    user_message_content: '',
    history_messages: [result(String((told?.input_required as Item | undefined)?.call_id), 'yes')],
  })
  const told = await tasks.stream(given(waiting))
  await told.rest()
  const own = told.frames()
  t.match(own[0], { type: 'task.working', sequence_number: Number(waiting?.sequence_number) + 1 })
  t.equal(own.at(-1)?.type, 'task.input_required', 'it ends when the chat waits again')
  const again = await tasks.stream(given(waiting))
  await again.rest()
  t.same(again.frames(), own, 'the same answer again gets the same stream')
  const last = await tasks.stream(given(own.at(-1)))
  await last.rest()
  t.equal(last.frames()[0]?.type, 'task.working')
  t.equal(last.frames().at(-1)?.type, 'task.completed')
  t.same(
    [...own, ...last.frames()],
    (await tasks.frames(chat.id)).slice(Number(waiting?.sequence_number) + 1),
  )
  await holds(t, tasks, chat.id)
})

t.test('a result for a chat that waits needs its task_id, and the refusal names it', async t => {
  const asks = { name: 'ann', agent_id: 'script', script: [{ tool: 'ask' }, { message: 'so $result' }] }
  const chat = await waitingChat(asks)
  const given = {
    session_id: chat.session_id,
    history_messages: [result(String(chat.input_required?.call_id), 'yes')],
  }
  const before = system.log.head()
  const lost = await post(given)
  t.match(lost, { status: 400, body: { error: { code: -32020, data: { task_id: chat.id } } } })
  t.equal(system.log.head(), before, 'nothing is stored')
  t.equal((await post({ ...given, task_id: chat.id, user_message_content: '' })).status, 200)
  t.same(linesOf((await becomes(chat.id, 'completed')).output), ['ann: so yes'])
  t.equal((await post(given)).status, 200, 'a result that was given already is plain history')
})

t.test('a repeated answer with a message says the message once', async t => {
  const steps = [{ tool: 'ask' }, { message: 'so $result' }]
  const asks = { name: 'ann', agent_id: 'script', script: steps }
  const bob = { name: 'bob', agent_id: 'script', script: [{ tool: 'ask' }, { message: 'b' }] }
  const chat = await waitingChat(asks, bob)
  const given = {
    task_id: chat.id,
    user_message_content: 'and hurry',
    history_messages: [result(String(chat.input_required?.call_id), 'yes')],
  }
  const key = { 'idempotency-key': 'answer of ann' }
  for (const headers of [key, key, {}]) t.equal((await post(given, headers)).status, 200)
  const other = await post({ ...given, user_message_content: 'and wait' }, key)
  t.match(other, { status: 400, body: { error: { code: -32022 } } })
  const waits = await becomes(chat.id, 'input-required')
  await answer(chat.id, { call_id: waits.input_required?.call_id, message_content: 'yes' })
  const ended = await becomes(chat.id, 'completed')
  t.same(linesOf(ended.output).toSorted(), ['ann: so yes', 'bob: b', 'user: and hurry'])
  t.equal((await post(given, key)).status, 200, 'also when the chat has ended')
})

t.test('a chat that waits for a client tool can be canceled, and its turn with it', async t => {
  const asks = { name: 'ann', agent_id: 'script', script: [{ tool: 'ask' }, { message: 'never' }] }
  const given = body([asks], { max_rounds: 1 }, { client_tools: [tool('ask')], background: true })
  const { id, session_id } = (await post(given)).body.result
  await becomes(id, 'input-required')
  t.equal((await act(id, 'cancel')).status, 200)
  await becomes(id, 'canceled')
  const all = await read(api('GET', `/tasks?session_id=${session_id}&include_subtasks=true`))
  t.same(
    (all.body.result as unknown as { status: string }[]).map(({ status }) => status),
    ['canceled', 'canceled'],
  )
  await holds(t, tasks, id)
})

t.test('when its user has no place for another task, the chat pauses, and nothing is lost', async t => {
  const made = await read(api('POST', '/auth/tokens', { role: 'user', user_id: 'ann' }))
  const ann = tasksOf(apiAs(url, (made.body as unknown as { token: string }).token))
  const sleeping = await ann.play([{ sleep_ms: 600_000 }], { background: true })
  const { id } = (await ann.post(body([says('ann', 'a')], { max_rounds: 1 }, { background: true }))).body
    .result
  t.match((await ann.becomes(id, 'paused')).metadata, { reason: /task/ })
  await ann.act(sleeping.id, 'cancel')
  await ann.becomes(sleeping.id, 'canceled')
  t.equal((await ann.act(id, 'resume')).status, 200)
  t.same(linesOf((await ann.becomes(id, 'completed')).output), ['ann: a'])
})
