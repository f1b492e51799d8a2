// Every recorded history folds to what it folded to then, to the byte.

import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { taskEvents } from '../../src/contract/decoders/task.ts'
import { frameCount } from '../../src/history/frames.ts'
import { emptyTask, evolve } from '../../src/history/task-view.ts'
import { decode } from '../../src/log/decode.ts'
import { mustFollowChart } from '../actors/chart.ts'
import { mustBeLegal } from '../actors/simulation.ts'
import { admin, givenSystem, refused, storeOf } from '../support/system.ts'
import { testWorld } from '../support/world.ts'
import { readHistory } from './stored.ts'
import { framesFrom, taskFrom } from './told.ts'

const folder = path.join(import.meta.dirname, '../histories')
const files = readdirSync(folder).filter(name => name.endsWith('.ndjson'))

t.test('histories were recorded', async t => {
  t.ok(files.length >= 12)
})

for (const file of files) {
  const { rows, expected } = readHistory(readFileSync(path.join(folder, file), 'utf8'))

  t.test(`${file} folds to the same task and the same frames`, async t => {
    const events = rows.map(row => taskEvents.read(decode(row)))
    t.equal(JSON.stringify(taskFrom(events)), JSON.stringify(expected.task))
    t.equal(events.reduce(evolve, emptyTask()).deleted, expected.deleted)
    const frames = framesFrom(events)
    t.equal(frames.length, expected.frames.length)
    for (const [n, frame] of frames.entries()) {
      t.equal(JSON.stringify(frame), JSON.stringify(expected.frames[n]), frame.type)
    }
    for (const event of events) {
      t.equal(frameCount(event), event.header.frames, `${event.type} is counted as then`)
    }
    t.doesNotThrow(() => mustBeLegal(events))
    t.doesNotThrow(() => mustFollowChart(events))
  })

  t.test(`${file} is served by this version`, async t => {
    const store = await storeOf(rows)
    const start = Date.parse(JSON.parse(rows.at(-1)?.header ?? '{}').time)
    const system = await givenSystem({ store, world: testWorld(7, start, 'later') })
    const { id } = expected.task
    if (expected.deleted) t.throws(() => system.get(id), refused('TaskNotFound'))
    else if (expected.task.status === 'queued' || expected.task.status === 'working') t.ok(system.get(id))
    else t.equal(JSON.stringify(system.get(id)), JSON.stringify(expected.task))
    if (expected.task.status === 'paused') {
      await system.commands.resume(admin, id, 'req')
      await system.world.advance(5000)
      t.equal(system.get(id).status, 'completed', 'and goes on')
    }
    await system.close()
  })
}
