// What was written to the read models gets into their file without the thread that writes.

import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import Database from 'better-sqlite3'
import t, { type Test } from 'tap'
import { renewable } from '../../projections/sqlite/renewable.ts'
import { openReadStore } from '../../projections/store.ts'
import { none } from '../../src/platform/sqlite/checkpoints.ts'
import { inodesOf } from '../../src/platform/sqlite/inodes.ts'
import '../support/built.ts'
import { until } from '../support/http.ts'

const big = 'x'.repeat(100_000)

const givenStore = (t: Test) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'reprise-read-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const file = path.join(folder, 'read.db')
  const store = openReadStore(file)
  t.teardown(() => store.close())
  return { file, store }
}

t.test('a moment after a write it is in the file itself, also when the file was made again', async t => {
  const { file, store } = givenStore(t)
  const put = store.transaction((n: number) => {
    store.prepare<[number, string]>('INSERT INTO items (task, n, body, sum) VALUES (1, ?, ?, 0)').run(n, big)
  })
  for (const round of [1, 2]) {
    const before = statSync(file).size
    for (let n = 0; n < 20; n++) put(n)
    store.commit()
    t.ok(statSync(file).size < before + big.length, `round ${round}: it is beside the file at first`)
    const files = inodesOf(file)
    await until(() => statSync(file).size > before + 15 * big.length)
    t.same(inodesOf(file), files, 'nobody has removed the WAL of the new file')
    const db = new Database(file, { readonly: true })
    t.equal(db.prepare('SELECT count(*) FROM items').pluck().get(), 20)
    t.equal(db.pragma('integrity_check', { simple: true }), 'ok')
    db.close()
    await store.renew()
  }
})

t.test('when one of two files is closed, what is written to the other still gets into it', async t => {
  const folder = mkdtempSync(path.join(tmpdir(), 'reprise-read-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const [closed, open] = ['one.db', 'other.db'].map(name => path.join(folder, name)) as [string, string]
  const write = (file: string) => {
    const store = openReadStore(file)
    store.transaction(() => store.exec(`INSERT INTO items (task, n, body, sum) VALUES (1, 1, '${big}', 0)`))()
    store.commit()
    return store
  }
  const first = write(closed)
  await until(() => statSync(closed).size > big.length)
  const second = write(open)
  t.teardown(() => second.close())
  await first.close()
  t.notOk(existsSync(`${closed}-wal`), 'nobody has the closed file open')
  await until(() => statSync(open).size > big.length)
})

t.test(
  'a store closes its file after the thread that copies has closed it, so nothing is left in the WAL',
  async t => {
    const folder = mkdtempSync(path.join(tmpdir(), 'reprise-read-'))
    t.teardown(() => rmSync(folder, { recursive: true, force: true }))
    const file = path.join(folder, 'read.db')
    const open = () => {
      const db = new Database(file)
      db.pragma('journal_mode = WAL')
      return db
    }
    const made = open()
    made.exec('CREATE TABLE items (body TEXT)')
    // Like the connection of the thread, it closes later. It only reads, so it cannot copy the WAL when it is the last.
    const other = new Database(file, { readonly: true })
    made.close()
    other.prepare('SELECT count(*) FROM items').get()
    const checkpoints = {
      ...none,
      close: async () => {
        await new Promise(resolve => setTimeout(resolve, 20))
        other.close()
      },
    }
    const store = renewable(open, open, checkpoints)
    store.transaction(() => store.exec(`INSERT INTO items VALUES ('${big}')`))()
    await store.close()
    t.ok(statSync(file).size > big.length)
    t.notOk(existsSync(`${file}-wal`))
  },
)

t.test('while rows are written all the time, SQLite uses the WAL again from its start', async t => {
  const { file, store } = givenStore(t)
  const replace = store.prepare<[number, string]>(
    'INSERT OR REPLACE INTO items (task, n, body, sum) VALUES (1, ?, ?, 0)',
  )
  const put = store.transaction((n: number) => void replace.run(n % 20, `${n % 7}`.repeat(big.length)))
  /** The length of the WAL at which SQLite copies it itself. */
  const limit = 32_768 * 4096
  let length = 0
  // Rows come during each copy. They come until the WAL has not become longer for a while.
  for (let [n, same] = [0, 0]; same < 100 && length < limit * 0.9; same++) {
    if (!store.isCopying()) put(n++)
    if (n % 10 === 0) store.commit()
    const { size } = statSync(`${file}-wal`)
    if (size !== length) same = 0
    length = size
    await new Promise(resolve => setTimeout(resolve, 4))
  }
  t.ok(length < limit * 0.9, `the WAL has ${length} bytes`)
  await until(() => !store.isCopying())
  const db = new Database(file, { readonly: true })
  t.equal(db.pragma('integrity_check', { simple: true }), 'ok')
  db.close()
})

for (const every of [1, 3]) {
  const title = `a file that was replaced while rows were written and each ${every} committed is copied into, too`
  t.test(title, async t => {
    const { file, store } = givenStore(t)
    const put = store.transaction((n: number) => {
      store
        .prepare<[number, string]>('INSERT OR REPLACE INTO items (task, n, body, sum) VALUES (1, ?, ?, 0)')
        .run(n, `${n % 7}`.repeat(big.length))
    })
    put(0)
    store.commit()
    await until(() => statSync(file).size > big.length) // the thread has the file open
    let isReplaced = false
    const replace = async () => {
      const copy = await store.copy()
      await copy?.release()
      copy?.replace()
      isReplaced = true
      await copy?.settle()
    }
    const rewritten = replace()
    for (let n = 1; !isReplaced; n++) {
      put(n % 7)
      if (n % every === 0) store.commit()
      await new Promise(resolve => setImmediate(resolve))
    }
    await rewritten
    const before = statSync(file).size
    for (let n = 100; n < 120; n++) put(n)
    store.commit()
    await until(() => statSync(file).size > before + 15 * big.length)
  })
}

t.test('rows that were taken back before their commit are noticed', async t => {
  const { store } = givenStore(t)
  const put = store.transaction((n: number) => {
    store.prepare<[number]>("INSERT INTO items (task, n, body, sum) VALUES (1, ?, '', 0)").run(n)
  })
  const count = store.prepare<[], number>('SELECT count(*) FROM items').pluck()
  for (const next of [() => put(3), () => store.commit()]) {
    put(1)
    put(2)
    store.exec('ROLLBACK') // as SQLite does when the disk fails
    t.throws(next, { code: 'SQLITE_ABORT_ROLLBACK' })
    t.equal(count.get(), 0)
  }
  put(1)
  t.throws(() => put(1), { code: /^SQLITE_CONSTRAINT/ })
  t.equal(count.get(), 0, 'a failed write takes back those before it')
  put(2)
  t.equal(store.commit(), true)
  t.equal(store.commit(), false)
  t.equal(count.get(), 1)
})
