// read.db holds nothing of its own: whatever happens to it between two runs, the answers stay the same.

import { copyFileSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import t, { type Test } from 'tap'
import { withoutUses } from '../support/http.ts'
import { type Api, apiOf, serveHere, spawnServer } from '../support/server.ts'
import { allTasks, ask, createTask, framesOf, play, untilStatus } from './wire.ts'

const suffixes = ['', '-wal', '-shm']
const removeReadModels = (dataDir: string) => {
  for (const suffix of suffixes) rmSync(path.join(dataDir, `read.db${suffix}`), { force: true })
}
/** Puts one folder's read models into another, or aside. */
const copyReadModels = (from: string, to: string) => {
  removeReadModels(to)
  for (const suffix of suffixes) {
    const file = path.join(from, `read.db${suffix}`)
    if (existsSync(file)) copyFileSync(file, path.join(to, `read.db${suffix}`))
  }
}

/** A bit of everything that the read models know. */
const someWork = async (api: Api, mark: string): Promise<void> => {
  for (let n = 0; n < 5; n++) {
    await createTask(api, {
      user_message_content: `${mark} ${n}`,
      client_id: 'echo',
      user_id: `user-${n % 2}`,
      session_id: `${mark}-session`,
    })
  }
  await createTask(api, { user_message_content: 'once', client_id: 'echo' }, { 'idempotency-key': mark })
  const { id: paused } = await play(api, [{ reasoning: 'hm' }, { pause: 'tea' }])
  await untilStatus(api, paused, 'paused')
  const { id: failed } = await play(api, [{ fail: { code: -32000, message: 'no' } }])
  await untilStatus(api, failed, 'failed')
  const { id: deleted } = await createTask(api, { user_message_content: 'gone', client_id: 'echo' })
  await ask(api, 'DELETE', `/tasks/${deleted}`)
  await ask(api, 'POST', '/auth/tokens', { role: 'user', user_id: mark })
  const { id } = await ask<{ id: string }>(api, 'POST', '/auth/tokens', { role: 'auditor' })
  await ask(api, 'DELETE', `/auth/tokens/${id}`)
}

/** What a reader of the API can know. */
const answersOf = async (api: Api) => {
  const tasks = await allTasks(api)
  const text = async (where: string) => {
    const { id: _, ...answer } = await ask<{ id?: string }>(api, 'GET', where)
    return answer
  }
  return {
    tasks,
    some: await text('/tasks?status=completed&user_id=user-1&limit=3'),
    session: await text('/tasks?session_id=first-session&limit=100'),
    frames: await Promise.all(tasks.slice(0, 3).map(({ id }) => framesOf(api, id))),
    tokens: withoutUses(JSON.stringify(await text('/auth/tokens'))),
    key: await createTask(
      api,
      { user_message_content: 'once', client_id: 'echo' },
      { 'idempotency-key': 'first' },
    ),
  }
}

const serve = (t: Test, DATA_DIR: string) => serveHere(t, { DATA_DIR, DRAIN_SECONDS: '0' })
/** How many tasks there are of each status, as /readyz counts them. */
const countsOf = async (url: string) => {
  const { tasks } = (await (await fetch(`${url}/readyz`)).json()) as { tasks: Record<string, number> }
  return Object.fromEntries(Object.entries(tasks).filter(([, count]) => count !== 0))
}

t.test('whatever becomes of read.db, the answers stay the same', async t => {
  const root = t.testdir({ ours: {}, theirs: {}, older: {}, foreign: {} })
  const [ours, theirs, older, foreign] = ['ours', 'theirs', 'older', 'foreign'].map(name =>
    path.join(root, name),
  ) as [string, string, string, string]

  const first = await serve(t, ours)
  await someWork(first.api, 'first')
  await first.stop()
  copyReadModels(ours, older)
  const second = await serve(t, ours)
  await someWork(second.api, 'second')
  const expected = { ...(await answersOf(second.api)), counts: await countsOf(second.url) }
  await second.stop()
  const strangers = await serve(t, theirs)
  await someWork(strangers.api, 'their') // fewer events than ours: with more, ours could be a log that was cut
  await strangers.stop()
  copyReadModels(theirs, foreign)
  const sound = path.join(root, 'sound')
  cpSync(ours, sound, { recursive: true })

  const file = path.join(ours, 'read.db')
  const accidents: Record<string, () => void> = {
    'it is deleted': () => removeReadModels(ours),
    'it is deleted, its WAL is not': () => rmSync(file),
    'its WAL is deleted': () => rmSync(`${file}-wal`, { force: true }),
    'it is empty': () => writeFileSync(file, ''),
    'it is text': () => writeFileSync(file, 'no database at all '.repeat(2000)),
    'it is of an older day': () => copyReadModels(older, ours),
    'it belongs to another log': () => copyReadModels(foreign, ours),
    'its tables are of another version': () => {
      const db = new Database(file)
      db.exec('DROP TABLE items; PRAGMA user_version = 77')
      db.close()
    },
  }
  for (const [what, happen] of Object.entries(accidents)) {
    await t.test(what, async t => {
      for (const left of readdirSync(ours)) rmSync(path.join(ours, left), { recursive: true })
      cpSync(sound, ours, { recursive: true })
      happen()
      const { api, url, stop } = await serve(t, ours)
      const found = { ...(await answersOf(api)), counts: await countsOf(url) }
      t.same(found, expected)
      const { id } = await createTask(apiOf(url), { user_message_content: 'and on', client_id: 'echo' })
      t.equal((await allTasks(api)).at(-1)?.id, id, 'and work goes on')
      await stop()
    })
  }
})

// A process of its own: a start that fails halfway would leave a thread behind in this one.
t.test('read models with damaged pages are replaced, too', async t => {
  const dataDir = t.testdir()
  const server = await serve(t, dataDir)
  await someWork(server.api, 'first')
  const expected = await answersOf(server.api)
  await server.stop()
  const file = path.join(dataDir, 'read.db')
  writeFileSync(file, readFileSync(file).fill('x', 4096))

  const next = await spawnServer(t, dataDir)
  t.same(await answersOf(next.api), expected)
})
