// A task that talks is not written at each moment, and nobody can tell: a query sees all of its text, and so does
// whoever opens the tables after the server was killed.
import t from 'tap'
import { createReadModels } from '../../projections/read-models.ts'
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
