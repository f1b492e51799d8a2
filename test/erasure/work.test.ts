// What an erasure costs: the same for each task, however many there are, and never much in one turn of the event loop.
// Lists are answered meanwhile.
import { statSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import t, { type Test } from 'tap'
import type { ErasableTask } from '../../projections/tasks/ended-rows.ts'
import type { Api } from '../support/server.ts'
import { serveHere } from '../support/server.ts'
import { type Erased, makeTask, ok } from './support.ts'

/** Statements that ran, and rows that they read. */
let work = 0
/** The same since the last turn of the event loop, and the most of all turns. */
let inTurn = 0
let most = 0
const count = (n: number): void => {
  work += n
  inTurn += n
  most = Math.max(most, inTurn)
}
const statements = Object.getPrototypeOf(new Database(':memory:').prepare('SELECT 1')) as Record<
  'run' | 'get' | 'all' | 'iterate',
  (this: unknown, ...given: unknown[]) => unknown
>
const { run, get, all, iterate } = statements
statements.run = function (...given) {
  count(1)
  return run.apply(this, given)
}
statements.get = function (...given) {
  count(1)
  return get.apply(this, given)
}
statements.all = function (...given) {
  const rows = all.apply(this, given) as unknown[]
  count(1 + rows.length)
  return rows
}
statements.iterate = function* (...given) {
  count(1)
  for (const row of iterate.apply(this, given) as Iterable<unknown>) {
    count(1)
    yield row
  }
} as (typeof statements)['iterate']

const turnsOfSession = 10

/** Makes finished tasks of one user, in sessions, and a few of another user. */
const fill = async (api: Api, tasks: number): Promise<void> => {
  const make = (n: number, user_id: string) =>
    makeTask(api, {
      user_message_content: `message ${n}`,
      client_id: 'echo',
      user_id,
      session_id: `${user_id}-${Math.floor(n / turnsOfSession)}`,
    })
  const session = async (n: number) => {
    for (let turn = 0; turn < turnsOfSession; turn++) await make(n + turn, 'anna')
  }
  const sessions = Array.from({ length: tasks / turnsOfSession }, (_, n) => session(n * turnsOfSession))
  await Promise.all(sessions)
  for (let n = 0; n < 5; n++) await make(n, 'bert')
}

/** The work of an erasure of so many tasks, per task and in its busiest turn. */
const workOf = async (tasks: number, erase: () => Promise<void>) => {
  work = most = 0
  let isDone = false
  const turn = () => {
    inTurn = 0
    if (!isDone) setImmediate(turn)
  }
  turn()
  await erase()
  isDone = true
  return { perTask: work / tasks, most }
}
type Work = Awaited<ReturnType<typeof workOf>>

const mustNotGrow = (t: Test, few: Work, many: Work): void => {
  t.ok(
    many.perTask <= 1.1 * few.perTask,
    `${few.perTask} and ${many.perTask} statements and rows for each task`,
  )
  t.ok(many.most < 1500, `the busiest turns ran ${few.most} and ${many.most} statements and rows`)
}

const ofUser = async (t: Test, tasks: number): Promise<Work> => {
  const { api } = await serveHere(t)
  await fill(api, tasks)
  return workOf(tasks, async () => {
    const { erased } = await ok<Erased>(api('DELETE', '/users/anna/data?reason=asked'))
    t.equal(erased.tasks.length, tasks)
  })
}

t.test('an erasure costs the same for each task, however many tasks there are', async t => {
  mustNotGrow(t, await ofUser(t, 40), await ofUser(t, 400))
})

const asked = {
  principal: { id: 'system', role: 'admin', userId: undefined, expiresAt: undefined } as const,
  requestId: 'retention_1',
}

/** Retention of so many tasks, and how often the file of the read models was replaced before the last part was erased. */
const ofRetention = async (t: Test, tasks: number) => {
  const { api, system, dataDir } = await serveHere(t)
  await fill(api, tasks)
  const rows: ErasableTask[] = []
  for await (const row of system.tasks.queries.erasable.ofUser('anna', async () => {})) rows.push(row)
  const file = path.join(dataDir, 'read.db')
  const before = statSync(file).ino
  const parts: number[] = []
  const used = await workOf(tasks, async () => {
    for await (const part of system.erasures.retire(asked, rows, 'old')) {
      parts.push(part)
      t.equal(statSync(file).ino, before, 'the read models are not written anew for each part')
    }
  })
  t.not(statSync(file).ino, before)
  t.equal(system.erasures.counts().pending, 0)
  return { used, parts }
}

t.test('retention erases in parts, and costs the same for each task', async t => {
  const few = await ofRetention(t, 40)
  const many = await ofRetention(t, 600)
  t.same([few.parts, many.parts], [[40], [500, 100]])
  mustNotGrow(t, few.used, many.used)
})

t.test('lists are answered during an erasure', async t => {
  const { api } = await serveHere(t)
  await fill(api, 100)
  let isDone = false
  const erasure = ok<Erased>(api('DELETE', '/users/anna/data?reason=asked')).finally(() => {
    isDone = true
  })
  const statuses: number[] = []
  const seen = new Set<number>()
  while (!isDone) {
    const answer = await api('GET', '/tasks?limit=100')
    statuses.push(answer.status)
    if (answer.status === 200) seen.add(((await answer.json()) as { result: unknown[] }).result.length)
  }
  await erasure
  t.ok(statuses.length > 10, `${statuses.length} lists`)
  t.same(new Set(statuses), new Set([200]))
  t.ok(seen.size > 2, 'they show fewer and fewer tasks')
})
