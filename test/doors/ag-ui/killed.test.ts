// A server that is killed between two runs, and in the middle of the second one: the same request joins it again, and nothing is
// said or done twice.
import t from 'tap'
import { spawnServer } from '../../support/server.ts'
import { scriptedModel, taskOf } from '../openai/clients.ts'
import { agentOf, cutStream, eventsIn, post, resultOf, run, textIn, textOf, tool, user } from './clients.ts'
import { mustBeInOrder } from './hostile.ts'

const said = 'one two three four five six seven eight nine ten'

t.test('a run goes on after kill -9', async t => {
  const model = await scriptedModel(t)
  const dataDir = t.testdir()
  const env = { ...model.env, ALLOW_PRIVATE_URLS: '1' }
  await model.script([
    { tool_calls: [{ name: 'paint', arguments: {} }] },
    { text: said, token_ms: 60 },
    { text: said },
  ])
  const first = await spawnServer(t, dataDir, env)
  const agent = agentOf(first.url, 'model')
  agent.addMessage(user('Paint and count'))
  const events = await run(agent, { runId: 'run-1', tools: [tool('paint')] })
  const { outcome } = events.at(-1) as unknown as { outcome: { pendingToolCallIds: [string] } }
  await first.end('SIGKILL')

  const second = await spawnServer(t, dataDir, env)
  const messages = [...agent.messages, resultOf(outcome.pendingToolCallIds[0], 'red')]
  const body = { threadId: agent.threadId, runId: 'run-2', messages, protocolVersion: '1.0' }
  const before = await cutStream(await post(second.url, 'model', body), seen => {
    if (textOf(seen) !== '') second.signal('SIGKILL')
  })
  await second.exited
  t.notMatch(textOf(before), said, 'the stream was cut')

  const third = await spawnServer(t, dataDir, env)
  const cursor = { 'last-event-id': String(before.at(-1)?.id) }
  const after = eventsIn(await (await post(third.url, 'model', body, cursor)).text())
  const whole = [...before, ...after]
  t.same(
    whole.map(({ id }) => id),
    whole.map((_, n) => n),
  )
  t.match(whole.at(-1)?.event, { type: 'RUN_FINISHED', runId: 'run-2', outcome: { type: 'success' } })
  const last = whole.findLast(({ event }) => event.type === 'TEXT_MESSAGE_END')?.event.messageId
  const own = whole.map(({ event }) => event).filter(({ messageId }) => messageId === last)
  t.equal(textIn(own), said)
  const text = await (await post(third.url, 'model', body)).text()
  t.same(eventsIn(text), whole, 'each reading is the same')
  await mustBeInOrder(text)
  t.match(await taskOf(third.api, 'run-1'), { status: 'completed' })
  t.equal((await third.api('GET', '/tasks/run-2')).status, 404, 'both runs are one task')
})
