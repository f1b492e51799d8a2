// What the tables do not hold: the text of long items. And what they do not need: the past of a task that is rewarded.
import t from 'tap'
import { createReadModels } from '../../projections/read-models.ts'
import { openReadStore } from '../../projections/store.ts'
import type { Text } from '../../src/platform/pieces.ts'
import { only } from '../../src/platform/pieces.ts'
import { rowsRebuilt } from '../actors/simulation.ts'
import { admin, givenSystem } from '../support/system.ts'

const whole = async (text: Text): Promise<string> => {
  let all = ''
  for await (const piece of only(text)) all += piece
  return all
}

t.test('a long item has no text in the tables, and is read whole from the log', async t => {
  const system = await givenSystem()
  const long = 'ä😀"'.repeat(100_000)
  const id = await system.play([{ message: 'short' }, { message: long }, { message: 'the end' }])
  await system.world.advance(60_000)
  const row = system.queries.rowById(id)
  const stored = system
    .readStore()
    .prepare('SELECT body IS NULL AS isLong, length FROM items ORDER BY n')
    .all()
  t.match(stored, [{ isLong: 0, length: null }, { isLong: 1 }, { isLong: 0 }])
  const { text, size } = system.queries.task(row?.position ?? 0)
  t.ok(size > long.length, `about ${size} bytes`)
  const task = JSON.parse(await whole(text)) as { output: { message_content: { text: string }[] }[] }
  t.same(
    task.output.map(item => item.message_content.map(part => part.text).join('')),
    ['short', long, 'the end'],
  )
  if (row !== undefined) t.match(await system.recall.replay(row), { matches: true })
  const asOf = await system.recall.asOf(id, { position: system.log.head() })
  t.same(JSON.parse(await whole(asOf)), task, 'the fold has the same text')
  t.match(await rowsRebuilt(system.store), /./, 'the tables can be rebuilt')
})

t.test('a reward and the deletion of a task that has ended read nothing of its past', async t => {
  const system = await givenSystem()
  const id = await system.play([{ message: 'done' }])
  await system.world.advance(60_000)
  let loads = 0
  const log = {
    ...system.log,
    streamPages: (stream: string, after?: number) => {
      loads++
      return system.log.streamPages(stream, after)
    },
  }
  const models = createReadModels(openReadStore(':memory:'), log, system.world.timers, () => {})
  await models.catchUp()
  await system.commands.reward(admin, id, 'req', { value: 1 })
  await models.catchUp()
  t.equal(models.reached(), system.log.head())
  t.equal(loads, 0)
  await system.commands.remove(admin, id, 'req')
  await models.catchUp()
  t.equal(loads, 0)
})
