// A task that talks is not written at each moment, and nobody can tell: a query sees all of its text, and so does
// whoever opens the tables after the server was killed.
import t from 'tap'
import { differences } from '../../projections/compare.ts'
import { createReadModels } from '../../projections/read-models.ts'
import { openReadStore } from '../../projections/store.ts'
import { rowsRebuilt } from '../actors/simulation.ts'
import { givenSystem, type TestSystem } from '../support/system.ts'

const givenTalk = async () => {
  const system = await givenSystem()
  const id = await system.play([{ message: 'a b c d e f g h', delta_ms: 60 }])
  await system.world.advance(200)
  return { system, id }
}
const count = (system: TestSystem, table: string) =>
  system.readStore().prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get()
const storedItem = (system: TestSystem) =>
  system.readStore().prepare<[], string>('SELECT body FROM items').pluck().get() ?? ''
const textOf = (task: { output: object[] }) => JSON.stringify(task.output)

t.test('while a task talks its item waits, and a query sees all of it', async t => {
  const { system, id } = await givenTalk()
  t.equal(count(system, 'talking_tasks'), 1)
  t.notMatch(storedItem(system), /a b c/, 'not written yet')
  t.match(textOf(system.get(id)), /a b c/)
  t.match(storedItem(system), /a b c/)
  t.equal(count(system, 'talking_tasks'), 0, 'the query had it written')
  await system.world.advance(120)
  t.equal(count(system, 'talking_tasks'), 1, 'it talks on')
  await system.world.advance(2000)
  t.equal(count(system, 'talking_tasks'), 0, 'its item is whole')
  t.match(storedItem(system), /g h/)
})

t.test('after a kill the tables get the text that they lack, though no further event comes', async t => {
  const { system, id } = await givenTalk()
  const shown = textOf(system.get(id))
  await system.world.advance(120)
  t.equal(count(system, 'talking_tasks'), 1)
  const again = createReadModels(system.readStore(), system.log, system.world.timers, () => {})
  await again.catchUp()
  t.equal(count(system, 'talking_tasks'), 0)
  const item = storedItem(system)
  t.ok(item.length > shown.length - '[]'.length, 'it is newer than what was shown')
  t.ok((await rowsRebuilt(system.store)).includes(JSON.stringify(item)), 'a rebuild writes the same')
})

t.test('a comparison leaves out the item in progress of a task that talks, and nothing else', async t => {
  const system = await givenSystem()
  await system.play([{ message: 'whole' }, { message: 'a b c d e f g h', delta_ms: 60 }])
  await system.world.advance(200)
  const store = system.readStore()
  t.equal(count(system, 'talking_tasks'), 1)
  const fresh = openReadStore(':memory:')
  t.teardown(() => fresh.close())
  await createReadModels(fresh, system.log, system.world.timers, () => {}).catchUp()
  const found = () => [...differences(store, fresh)].map(({ table, field }) => `${table} ${field}`)
  const bodyOf = (of: typeof store) =>
    of.prepare<[], string>('SELECT body FROM items WHERE n = 1').pluck().get() ?? ''
  t.not(bodyOf(store), bodyOf(fresh), 'its item is behind')
  t.same(found(), [])

  store.exec("UPDATE items SET body = json_set(body, '$.status', 'incomplete') WHERE n = 0")
  t.same(found(), ['items status'], 'an item that is whole')
  store.exec("UPDATE items SET body = json_set(body, '$.status', 'completed') WHERE n = 0")
  store.exec("UPDATE tasks SET status = 'paused'")
  t.same(found(), ['tasks status'], 'its row')
  store.exec("UPDATE tasks SET status = 'working'")
  store.exec('DELETE FROM talking_tasks')
  t.match(found(), [/^items /], 'the same item, when the table does not name the task')
})
