import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { CannotStart } from '../../src/contract/cannot-start.ts'
import { lockFolder } from '../../src/platform/sqlite/lock-file.ts'

const fixture = path.join(import.meta.dirname, 'fixtures/hold-lock.ts')
const inUse = () => 'in use by the server at http://127.0.0.1:1'

/** Another process that tries to take the lock, and the first line that it says. */
const holder = async (t: Test, file: string) => {
  const child = spawn(process.execPath, [fixture, file], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  t.teardown(() => void child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  const line = async () => String((await once(child.stdout, 'data'))[0]).trim()
  return { said: await line(), child, exited, line }
}
const taking = (file: string): unknown => {
  try {
    lockFolder(file, inUse)()
    return 'taken'
  } catch (error) {
    return error
  }
}

t.test('a second process is refused while the first one holds the folder', async t => {
  const file = path.join(t.testdir({}), 'lock.db')
  const unlock = lockFolder(file, inUse)
  const second = await holder(t, file)
  t.equal(second.said, 'CannotStart: the folder is in use: stop the other server')
  unlock()
  t.equal((await holder(t, file)).said, 'held', 'once let go, it is free')
})

t.test('the lock is free as soon as its holder was killed', async t => {
  const file = path.join(t.testdir({}), 'lock.db')
  const first = await holder(t, file)
  t.equal(first.said, 'held')
  const started = performance.now()
  const refused = taking(file)
  t.ok(refused instanceof CannotStart)
  t.match(
    refused,
    { message: 'in use by the server at http://127.0.0.1:1' },
    'with the words that were given',
  )
  t.ok(performance.now() - started < 4000, 'SQLite would wait for 5 s')
  t.ok(taking(file) instanceof CannotStart, 'asking does not loosen it')
  first.child.kill('SIGKILL')
  await first.exited
  t.equal(taking(file), 'taken')
})

t.test('the lock is free when its holder lets go, and while the holder lives on', async t => {
  const file = path.join(t.testdir({}), 'lock.db')
  const first = await holder(t, file)
  const freed = first.line()
  first.child.stdin.write('x')
  t.equal(await freed, 'free')
  t.equal(taking(file), 'taken')
})

t.test('one process cannot take the folder twice either', async t => {
  const file = path.join(t.testdir({}), 'lock.db')
  const unlock = lockFolder(file, inUse)
  t.ok(taking(file) instanceof CannotStart)
  unlock()
  t.equal(taking(file), 'taken')
})

t.test('what cannot be locked at all is one clear line too', async t => {
  const folder = t.testdir({ taken: {} })
  writeFileSync(path.join(folder, 'text.db'), 'no database, '.repeat(100))
  for (const file of ['text.db', 'taken', 'no/such/folder/lock.db'].map(name => path.join(folder, name))) {
    const error = taking(file)
    t.ok(error instanceof CannotStart, file)
    t.match(error, { message: /^[^\n]+$/ })
    t.ok(String(error).includes(file), 'it names the file')
  }
})
