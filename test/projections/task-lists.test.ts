// Lists and counts of more tasks than one slice looks at.
import path from 'node:path'
import Database from 'better-sqlite3'
import t from 'tap'
import { openReadStore } from '../../projections/store.ts'
import { createTaskLists } from '../../projections/tasks/lists.ts'
import type { StoredTasks } from '../../projections/tasks/stored.ts'
import { fillTasks } from '../support/many-tasks.ts'
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
  t.equal(pauses, 0, 'kept numbers need no slices')
  t.same(await system.queries.countTasks({ ...all, createdAfter: 0 }, undefined, pause), counts)
  t.equal(pauses, 2, 'other filters do')
  t.equal((await system.queries.countTasks({ ...all, error: 'rare' })).total, 4)
  t.equal((await system.queries.countTasks({ ...all, userId: '' })).total, 0, 'no user has an empty name')
})

t.test(
  'counts, and agents without a match, visit as many rows among 20,000 tasks as among 2,000',
  async t => {
    const visitedAmong = async (tasks: number) => {
      const store = openReadStore(path.join(t.testdir(), 'read.db'))
      t.teardown(() => store.close())
      const { busyUser } = fillTasks(store, tasks)
      let visited = 0
      const counting = {
        ...store,
        prepare(sql: string) {
          const statement = store.prepare<unknown[], unknown>(sql)
          const all = (...given: unknown[]) => {
            const rows = statement.all(...given)
            // A row of a slice that is grouped stands for all rows that it counts.
            for (const row of rows) visited += (row as { rows?: number }).rows ?? 1
            return rows
          }
          return { ...statement, all }
        },
      } as typeof store
      const lists = createTaskLists({
        store: counting,
        stored: {} as StoredTasks,
        reading: ask => ask(),
        isCurrent: () => true,
        rowById: () => undefined,
        head: () => tasks * 7,
      })
      const visits = async (ask: () => Promise<unknown>) => {
        visited = 0
        const answer = await ask()
        return [visited, answer]
      }
      const none = { tasks: [], more: false }
      const [ofAll, counts] = await visits(() => lists.count(all))
      t.same((counts as { total: number }).total, tasks)
      const [ofUser, own] = await visits(() => lists.count(all, busyUser))
      t.same(own, await lists.count({ ...all, userId: busyUser, createdAfter: 0 }), 'what its rows give')
      const [ofTwo, nothing] = await visits(() => lists.count({ ...all, userId: 'user-1' }, busyUser))
      t.same((nothing as { total: number }).total, 0)
      const [unmatched, page] = await visits(() => lists.list({ ...all, agent: 'model' }))
      t.same(page, none)
      const [unfailed, other] = await visits(() =>
        lists.list({ ...all, agent: 'model', error: 'x' }, busyUser),
      )
      t.same(other, none)
      return [ofAll, ofUser, ofTwo, unmatched, unfailed]
    }
    const few = await visitedAmong(2000)
    t.same(few, [3, 1, 0, 3, 1], 'one row for each status')
    t.same(await visitedAmong(20_000), few)
  },
)
