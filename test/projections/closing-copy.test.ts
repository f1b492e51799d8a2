// A copy of the read models that is being made when their file is closed, as on a node that takes the log over.
import { readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { openReadStore } from '../../projections/store.ts'

/** A file with so much in it that a copy takes a while. */
const filled = (t: Test) => {
  const folder = t.testdir()
  const file = path.join(folder, 'read.db')
  const store = openReadStore(file)
  store.exec('CREATE TABLE much (text TEXT)')
  const put = store.prepare<[string]>('INSERT INTO much VALUES (?)')
  store.transaction(() => {
    for (let n = 0; n < 2000; n++) put.run(`${n}`.repeat(10_000))
  })()
  store.commit()
  const copies = () => readdirSync(folder).filter(name => name.startsWith('read.db.new'))
  return { file, store, copies }
}

t.test('a copy that is being made is not used, and harms no copy of the next user', async t => {
  const { file, store, copies } = filled(t)
  const made = store.copy()
  made.catch(() => {})
  await new Promise(resolve => setTimeout(resolve, 20))
  await store.close()
  t.notOk(store.isOpen())
  await t.rejects(store.copy())
  const next = openReadStore(file)
  const own = await next.copy()
  await t.rejects(made)
  t.equal(copies().length, 1)
  t.equal(own?.store.prepare<[], { n: number }>('SELECT count(*) AS n FROM much').get()?.n, 2000)
  own?.discard()
  t.same(copies(), [])
  await next.close()
})

t.test('a copy that a crash has left is removed', async t => {
  const { file, store, copies } = filled(t)
  await store.close()
  writeFileSync(`${file}.new-7`, 'half of it')
  const next = openReadStore(file)
  t.same(copies(), [])
  await next.close()
})
