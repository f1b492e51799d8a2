// Lists and counts of more tasks than one slice looks at.
import Database from 'better-sqlite3'
import t from 'tap'
import { givenSystem, quiet } from '../support/system.ts'

const all = {
  userId: undefined,
  sessionId: undefined,
  statuses: [],
  startingAfter: undefined,
  endingBefore: undefined,
  limit: 2,
  order: 'desc' as const,
  includeSubtasks: false,
}

/** Counts the rows that statements give out until the returned function is called, which returns their number. */
const countRows = (): (() => number) => {
  type All = (this: Database.Statement, ...values: unknown[]) => unknown[]
  const prototype = Object.getPrototypeOf(new Database(':memory:').prepare('SELECT 1')) as { all: All }
  const { all } = prototype
  let rows = 0
  prototype.all = function (...values) {
    const found = all.apply(this, values)
    rows += found.length
    return found
  }
  return () => {
    prototype.all = all
    return rows
  }
}

t.test('a rare task among many is found and counted, and others are served meanwhile', async t => {
  const system = await givenSystem()
  const fail = [{ fail: { code: -32000, message: 'rare' } }]
  const rare: string[] = []
  for (let n = 0; n < 3; n++) rare.unshift(await system.play(fail))
  for (let n = 0; n < 2100; n++) await system.create({})
  rare.unshift(await system.play(fail))
  await quiet(system)

  let pauses = 0
  const pause = async () => void pauses++
  const page = async (more: object) => {
    const found = await system.queries.list({ ...all, ...more }, undefined, pause)
    return 'tasks' in found ? { ids: found.tasks.map(({ id }) => id), more: found.more } : found
  }
  t.same(await page({ agent: 'script' }), { ids: rare.slice(0, 2), more: true })
  t.equal(pauses, 6, 'between slices')
  t.same(await page({ agent: 'script', error: 'RARE', startingAfter: rare[1] }), {
    ids: rare.slice(2),
    more: false,
  })
  t.same(await page({ agent: 'script', order: 'asc' }), { ids: rare.slice(2).reverse(), more: true })
  t.same(await page({ agent: 'echo', statuses: ['failed'] }), { ids: [], more: false })
  t.same(await page({ error: 'rare', statuses: ['completed'] }), { ids: [], more: false })

  const counted = countRows()
  t.match(await page({ agent: 'echo' }), { more: true })
  t.ok(counted() < 30, 'a page looks at few rows when most of them fit')

  pauses = 0
  const counts = await system.queries.countTasks(all, undefined, pause)
  t.same(counts, {
    total: 2104,
    by_status: { completed: 2100, failed: 4 },
    by_agent: { echo: { completed: 2100 }, script: { failed: 4 } },
  })
  t.equal(pauses, 2)
  t.equal((await system.queries.countTasks({ ...all, error: 'rare' })).total, 4)
})
