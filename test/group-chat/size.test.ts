// What the log stores for a turn of a group chat does not grow with the number of turns before it.
import t from 'tap'
import { rested } from '../actors/journal/kills.ts'
import { givenSystem } from '../support/system.ts'
import { chatOf, says } from './chats.ts'

const turns = 60

t.test('a late turn of a chat stores no more than an early one, and hears everything', async t => {
  const system = await givenSystem()
  t.teardown(() => system.close())
  const agents = [says('ann', 'one', 'two'), says('bob', 'six', 'ten')]
  const chatId = await system.create(chatOf(agents, { max_rounds: turns / 2 }))
  await rested(system)
  const events = (await system.stored()).filter(({ header }) => header.stream !== `task-${chatId}`)
  const streams = [...new Set(events.map(({ header }) => header.stream))]
  t.equal(streams.length, turns)
  const bytesOf = (stream: string | undefined) =>
    events
      .filter(({ header }) => header.stream === stream)
      .reduce((sum, { data }) => sum + JSON.stringify(data).length, 0)
  // The same speaker says the same text in both turns; only numbers of two digits are longer.
  const [early, late] = [bytesOf(streams[2]), bytesOf(streams[turns - 2])]
  t.ok(late - early < 100, `${early} bytes for the third turn, ${late} for the last but one`)
  for await (const entry of system.recall.rolloutLines(String(streams.at(-1)?.slice('task-'.length)))) {
    const { input_messages } = JSON.parse(String(entry)) as { input_messages: unknown[] }
    t.equal(input_messages.length, turns, 'the message of the user, and all turns before the last')
  }
})
