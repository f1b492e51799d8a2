// Who speaks when in a group chat, when it ends, and what each speaker hears.
import t, { type Test } from 'tap'
import { subjectOf } from '../../src/bus/nats/nats-subject.ts'
import { publishedOf } from '../../src/bus/published.ts'
import type { Task } from '../../src/contract/wire.ts'
import { rested } from '../actors/journal/kills.ts'
import { admin, crashed, givenSystem, type TestSystem } from '../support/system.ts'
import { clientTool } from '../support/tools.ts'
import { chatOf, linesOf, says } from './chats.ts'

const systemOf = async (t: Test) => {
  const system = await givenSystem()
  t.teardown(() => system.close())
  return system
}
const chatted = async (system: TestSystem, body: never): Promise<Task> => {
  const id = await system.create(body)
  await rested(system)
  return system.get(id) as Task
}
const eventsOf = async (system: TestSystem, type: string) =>
  (await system.stored()).filter(({ header }) => header.type === type).map(({ data }) => data) as Record<
    string,
    unknown
  >[]

t.test('speakers take turns, and a script goes on from turn to turn', async t => {
  const system = await systemOf(t)
  const agents = [says('ann', 'a1', 'a2'), { name: 'bob', agent_id: 'echo' }, says('cem', 'c')]
  const chat = await chatted(system, chatOf(agents))
  t.equal(chat.status, 'completed')
  t.same(linesOf(chat.output), ['ann: a1', 'bob: a1', 'cem: c', 'ann: a2', 'bob: a2', 'cem: c'])
  const thinking = await eventsOf(system, 'GroupChatAgentThinking')
  t.same(
    thinking.map(({ name, round }) => `${name} ${round}`),
    ['ann 1', 'bob 1', 'cem 1', 'ann 2', 'bob 2', 'cem 2'],
  )
  const child = system.get(String(thinking[0]?.task_id)) as Task
  t.match(child, { session_id: chat.session_id, metadata: { agent: 'script', group_chat_id: chat.id } })
  t.same(child.output, chat.output.slice(0, 1), 'the message has one id and one name in both tasks')
})

t.test('without an order, speakers take turns', async t => {
  const system = await systemOf(t)
  const chat = await chatted(system, chatOf([says('ann', 'a'), says('bob', 'b')], { order: undefined }))
  t.same(linesOf(chat.output), ['ann: a', 'bob: b', 'ann: a', 'bob: b'])
})

t.test('a speaker hears others as users with names, and itself as the assistant', async t => {
  const system = await systemOf(t)
  const chat = await chatted(system, chatOf([says('ann', 'a1', 'a2'), says('bob', 'b')]))
  const turns = await eventsOf(system, 'GroupChatAgentThinking')
  const heardBy = async (n: number) => {
    for await (const entry of system.recall.rolloutLines(String(turns[n]?.task_id)))
      return (JSON.parse(String(entry)) as { input_messages: { role: string }[] }).input_messages.map(
        item => `${item.role} ${linesOf([item])[0]}`,
      )
    return []
  }
  t.same(await heardBy(0), ['user user: hello'])
  t.same(await heardBy(1), ['user user: hello', 'user ann: a1'])
  t.same(await heardBy(2), ['user user: hello', 'assistant ann: a1', 'user bob: b'])
  t.equal(chat.output.length, 4)
})

t.test('a speaker hears all that was said in the session before, also in an earlier chat', async t => {
  const system = await systemOf(t)
  const say = (text: string) =>
    chatted(system, { user_message_content: text, client_id: 'echo', session_id: 's' } as never)
  const chat = (name: string) => {
    const agents = [says('ann', `a ${name}`), says('bob', `b ${name}`)]
    return chatted(system, { ...(chatOf(agents, { max_rounds: 1 }) as object), session_id: 's' } as never)
  }
  for (const text of ['one', 'two', 'three']) await say(text)
  await chat('first')
  await say('four')
  await chat('second')
  const last = (await eventsOf(system, 'GroupChatAgentThinking')).at(-1)
  const heard: string[] = []
  for await (const entry of system.recall.rolloutLines(String(last?.task_id))) {
    const { input_messages } = JSON.parse(String(entry)) as { input_messages: { role: string }[] }
    heard.push(...input_messages.map(item => `${item.role} ${linesOf([item])[0]}`))
  }
  const echoed = (text: string) => [`user user: ${text}`, `user assistant: ${text}`]
  t.same(heard, [
    ...['one', 'two', 'three'].flatMap(echoed),
    ...['user user: hello', 'user ann: a first', 'assistant bob: b first'],
    ...echoed('four'),
    ...['user user: hello', 'user ann: a second'],
  ])
})

t.test('a moderator chooses each speaker, and ends the chat', async t => {
  const system = await systemOf(t)
  const agents = [says('ann', 'a1', 'a2'), says('bob', 'b')]
  const moderator = says('chair', 'bob', '"Ann".', 'nobody I know', 'END')
  const chat = await chatted(system, chatOf(agents, { order: 'moderator', moderator, max_rounds: 9 }))
  t.equal(chat.status, 'completed')
  t.same(linesOf(chat.output), ['bob: b', 'ann: a1'])
  const ends = await eventsOf(system, 'GroupChatAgentResponse')
  t.same(
    ends.map(({ name, round, content }) => `${name} ${round} ${content}`),
    ['chair 1 bob', 'bob 1 b', 'chair 2 "Ann".', 'ann 2 a1', 'chair 3 nobody I know', 'chair 4 END'],
  )
  const strict = { order: 'moderator', moderator: says('', 'nobody'), on_failure: 'fail' }
  t.match(await chatted(system, chatOf(agents, strict)), {
    status: 'failed',
    error: { code: -32000, message: /moderator chose "nobody", which names no speaker/ },
  })
})

t.test('in a free chat each may pass, and a silent round is the last', async t => {
  const system = await systemOf(t)
  const agents = [says('ann', 'a', 'PASS', 'pass.'), says('bob', 'Pass', 'b', 'PASS')]
  const chat = await chatted(system, chatOf(agents, { order: 'free', max_rounds: 9 }))
  t.same(linesOf(chat.output), ['ann: a', 'bob: b'])
  t.equal((await eventsOf(system, 'GroupChatAgentThinking')).length, 6)
})

t.test('a stop word ends the chat', async t => {
  const system = await systemOf(t)
  const chat = await chatted(
    system,
    chatOf([says('ann', 'on', 'we are DONE'), says('bob', 'b')], { max_rounds: 9, stop_words: ['DONE'] }),
  )
  t.same(linesOf(chat.output), ['ann: on', 'bob: b', 'ann: we are DONE'])
})

t.test('a speaker that fails is skipped, or ends the chat', async t => {
  const system = await systemOf(t)
  const fails = { name: 'bob', agent_id: 'script', script: [{ fail: { code: -1, message: 'no voice' } }] }
  const agents = [says('ann', 'a'), fails]
  const skipped = await chatted(system, chatOf(agents))
  t.match(skipped, { status: 'completed' })
  t.same(linesOf(skipped.output), ['ann: a', 'ann: a'])
  t.match((await eventsOf(system, 'GroupChatAgentResponse'))[1], {
    name: 'bob',
    content: '',
    failed: /no voice/,
  })
  const failed = await chatted(system, chatOf(agents, { on_failure: 'fail' }))
  t.match(failed, { status: 'failed', error: { message: /the turn of bob failed: .*no voice/ } })
  t.same(linesOf(failed.output), ['ann: a'])
})

t.test('the user writes while the chat runs, and the next speaker hears it', async t => {
  const system = await systemOf(t)
  const slow = { name: 'ann', agent_id: 'script', script: [{ message: 'slow words', delta_ms: 300 }] }
  const id = await system.create(chatOf([slow, { name: 'bob', agent_id: 'echo' }], { max_rounds: 1 }))
  await system.world.advance(100)
  await system.commands.message(admin, id, 'req', 'wait', { key: undefined, isRetry: false })
  await rested(system)
  t.same(linesOf((system.get(id) as Task).output), ['user: wait', 'ann: slow words', 'bob: slow words'])
  t.match((await eventsOf(system, 'GroupChatMessage'))[0], { name: 'user', role: 'user', content: 'wait' })
})

t.test('a paused chat ends its turn, and goes on after a crash', async t => {
  const system = await givenSystem()
  const slow = { name: 'ann', agent_id: 'script', script: [{ message: 'slow words', delta_ms: 300 }] }
  const id = await system.create(chatOf([slow, says('bob', 'b')], { max_rounds: 1 }))
  await system.world.advance(100)
  await system.commands.pause(admin, id, 'req')
  await rested(system)
  t.match(system.get(id), { status: 'paused', output: { length: 1 } })
  const next = await crashed(system)
  t.teardown(() => next.close())
  await next.commands.resume(admin, id, 'req')
  await rested(next)
  t.same(linesOf((next.get(id) as Task).output), ['ann: slow words', 'bob: b'])
})

t.test('a canceled chat cancels its turn, with a receipt', async t => {
  const system = await systemOf(t)
  const slow = { name: 'ann', agent_id: 'script', script: [{ sleep_ms: 60_000 }, { message: 'never' }] }
  const id = await system.create(chatOf([slow]))
  await system.world.advance(100)
  await system.commands.cancel(admin, id, 'req')
  await rested(system)
  t.match(system.get(id), { status: 'canceled', output: [] })
  const [turn] = await eventsOf(system, 'GroupChatAgentThinking')
  t.match(system.get(String(turn?.task_id)), { status: 'canceled' })
  t.match((await eventsOf(system, 'EffectStopped')).at(-1), { stopped: true })
})

t.test(
  'a chat that is paused while its turn waits for the client waits again once it is resumed',
  async t => {
    const system = await systemOf(t)
    const script = [{ sleep_ms: 500 }, { tool: 'ask' }, { message: 'so $result' }]
    const asks = { name: 'ann', agent_id: 'script', script }
    const around = { client_tools: [clientTool('ask')] }
    const body = chatOf([asks], { max_rounds: 1 })
    const id = await system.create({ ...(body as object), ...around })
    await system.world.advance(100)
    await system.commands.pause(admin, id, 'req')
    await rested(system)
    t.match(system.get(id), { status: 'paused' })
    await system.commands.resume(admin, id, 'req')
    await rested(system)
    const { status, input_required } = system.get(id) as Task
    t.equal(status, 'input-required')
    const callId = String((input_required as { call_id: string }).call_id)
    await system.commands.input(admin, id, 'req', [{ callId, itemId: 'tr_1', content: 'yes', blocks: [] }])
    await rested(system)
    t.same(linesOf((system.get(id) as Task).output), ['ann: so yes'])
  },
)

t.test('on NATS an event of a chat has the chat in its subject', async t => {
  const system = await systemOf(t)
  const { id } = await chatted(system, chatOf([says('ann', 'a')], { max_rounds: 1 }))
  const subjects = publishedOf(await system.stored())
    .map(subjectOf)
    .filter(subject => subject.includes('GroupChat'))
  const subject = (name: string) => `reprise.events.default.group_chat.GroupChat${name}.${id}`
  t.same(subjects, [subject('AgentThinking'), subject('AgentResponse'), subject('Message')])
})
