// Saved folds of a long task: who comes to its end reads little of it, and a row that is damaged, old or gone changes nothing
// but how much is read.
import t from 'tap'
import type { Agent } from '../../src/contract/agent.ts'
import { savedEvery } from '../../src/history/saved-fold.ts'
import { memoryStore } from '../../src/log/memory-store.ts'
import type { Store } from '../../src/log/store.ts'
import { yieldToLoop } from '../../src/platform/loop.ts'
import { givenSystem, quiet, type TestSystem } from '../support/system.ts'
import { framesOf } from './told.ts'

const steps = 1200
/** Two events a step, and a wait before the last one. */
const long: Agent = {
  name: 'long',
  async *step({ agentStep }) {
    if (agentStep === steps) {
      yield { say: 'delta', item: 'message', part: 'output_text', text: 'the end' }
      return { end: 'answer' }
    }
    yield { say: 'item', item: 'message', part: 'output_text', texts: [`step ${agentStep}`] }
    return agentStep === steps - 1 ? { end: 'pause', reason: 'before the end' } : { end: 'continue' }
  },
}

/** A store that counts the rows of streams that are read from it. */
const counting = () => {
  const inner = memoryStore()
  let rows = 0
  const store: Store = {
    ...inner,
    streamPage(...wish) {
      const found = inner.streamPage(...wish)
      rows += found.length
      return found
    },
  }
  return {
    store,
    async during(work: () => Promise<unknown>): Promise<number> {
      rows = 0
      await work()
      return rows
    },
  }
}

const givenLong = async () => {
  const counter = counting()
  const system = await givenSystem({ agents: [long], store: counter.store })
  const taskId = await system.create({ client_id: 'long' })
  await quiet(system)
  system.projector.flush()
  return { ...counter, system, taskId, stream: `task-${taskId}` }
}
const heard = async (system: TestSystem, stream: string, after: number): Promise<string[]> => {
  const lines: string[] = []
  const feed = system.streams.open({ stream, after, endsAtWait: true })
  for await (const frames of feed.frames()) lines.push(...frames.map(frame => JSON.stringify(frame)))
  return lines
}
const page = async (system: TestSystem, stream: string, after: number, limit = 50): Promise<string[]> => {
  const lines: string[] = []
  for await (const frame of system.streams.stored(stream, after, yieldToLoop)) {
    lines.push(JSON.stringify(frame))
    if (lines.length === limit) break
  }
  return lines
}

t.test(
  'whoever joins near the end of a long task reads what comes after, and at most as much before',
  async t => {
    const { system, taskId, stream, during } = await givenLong()
    const whole = (await framesOf(system, taskId)).map(frame => JSON.stringify(frame))
    t.ok(whole.length > 5 * savedEvery)
    for (const after of [whole.length - 2, whole.length - 100, Math.floor(whole.length / 2)]) {
      const left = system.log.revisionOf(stream) * (1 - after / whole.length)
      let lines: string[] = []
      const rows = await during(async () => {
        lines = await heard(system, stream, after)
      })
      t.same(lines, whole.slice(after + 1), `after ${after}`)
      t.ok(rows <= left + savedEvery + 10, `${rows} events are read after ${after}`)
      const paged = await during(async () => {
        t.same(await page(system, stream, after), whole.slice(after + 1, after + 51))
      })
      t.ok(paged <= 2 * savedEvery + 10, `${paged} events are read for a page after ${after}`)
    }
    await system.close()
  },
)

t.test('a fold is passed over when it is damaged, of another version, or gone', async t => {
  const { system, taskId, stream, during } = await givenLong()
  const db = system.readStore()
  const whole = (await framesOf(system, taskId)).map(frame => JSON.stringify(frame))
  const after = whole.length - 5
  const events = system.log.revisionOf(stream) + 1
  const rowsRead = (expected = whole.slice(after + 1)) =>
    during(async () => {
      t.same(await heard(system, stream, after), expected)
    })
  const kept = () => db.prepare<[], number>('SELECT count(*) FROM saved_folds').pluck().get()
  t.equal(kept(), Math.floor(events / savedEvery))
  t.ok((await rowsRead()) < savedEvery)
  const newest = 'WHERE next = (SELECT max(next) FROM saved_folds)'
  db.exec(`UPDATE saved_folds SET state = replace(state, 'step', 'stop') ${newest}`)
  const fromOlder = await rowsRead()
  t.ok(fromOlder > savedEvery && fromOlder < 2 * savedEvery, 'from the one before it')
  db.exec('UPDATE saved_folds SET version = version - 1')
  t.ok((await rowsRead()) >= events, 'from the first event')
  db.exec('UPDATE saved_folds SET version = version + 1')
  t.ok((await rowsRead()) < 2 * savedEvery)
  db.exec('DELETE FROM saved_folds')
  t.ok((await rowsRead()) >= events)
  await system.close()
})

t.test('items that are damaged or gone are folded again where a frame holds the task', async t => {
  const { system, taskId, stream } = await givenLong()
  const db = system.readStore()
  const whole = (await framesOf(system, taskId)).map(frame => JSON.stringify(frame))
  const after = whole.length - 2
  t.match(whole.at(-1), /"type":"task.paused".*"step 1".*"step 1199"/)
  t.same(await heard(system, stream, after), whole.slice(-1))
  db.exec(`UPDATE items SET body = replace(body, 'step', 'stop') WHERE n = 3`)
  t.same(await heard(system, stream, after), whole.slice(-1))
  db.exec('DELETE FROM items WHERE n = 1')
  t.same(await heard(system, stream, after), whole.slice(-1))
  await system.close()
})

t.test('a task as of a moment is the same from a saved fold', async t => {
  const { system, taskId, during } = await givenLong()
  const asOf = async (frame: number) => JSON.parse(String(await system.recall.asOf(taskId, { frame })))
  const frames = await framesOf(system, taskId)
  const moments = [0, 10, 2500, 4000, frames.length - 1]
  const tasks = []
  for (const frame of moments) tasks.push(await asOf(frame))
  t.ok((await during(() => asOf(frames.length - 1))) <= savedEvery)
  system.readStore().exec('DELETE FROM saved_folds')
  for (const [n, frame] of moments.entries()) t.same(await asOf(frame), tasks[n], `as of ${frame}`)
  await t.rejects(asOf(frames.length), { message: 'invalid request' })
  await system.close()
})

t.test('where a task is in its chart is read from its newest saved fold on', async t => {
  const { system, taskId, during } = await givenLong()
  const whole = { at: 'paused', open: [] }
  const read = () =>
    during(async () => {
      t.match(await system.recall.placed(taskId), { state: whole, machine: undefined })
    })
  t.ok((await read()) < savedEvery)
  system.readStore().exec('DELETE FROM saved_folds')
  t.ok((await read()) > 2 * savedEvery)
  await system.close()
})

t.test('made again with the read models they are the same', async t => {
  const { system } = await givenLong()
  const rowsOf = (one: TestSystem) =>
    JSON.stringify(one.readStore().prepare('SELECT * FROM saved_folds').all())
  const rows = rowsOf(system)
  t.match(rows, /"revision\\":1999/)
  const again = await givenSystem({ agents: [long], store: system.store, idle: true })
  t.equal(rowsOf(again), rows)
  await again.close()
})
