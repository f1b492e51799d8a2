// The thread: what ends it, what does not, and who waits for whom.
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { ownThread, processorMs } from '../../src/platform/threads/thread-time.ts'
import { catastrophe, checkerFor, doubling, heldDeadlines } from './support.ts'

let started = 0
process.on('worker', () => started++)
/** How many threads were started since the last time. */
const threads = (): number => {
  const count = started
  started = 0
  return count
}
const text = { type: 'string' }
const tooLong = { ok: false, problems: ['the check took longer than 50 ms'] }

t.test('one thread answers all calls, and is started by the first', async t => {
  threads()
  const { check, problemsOf } = checkerFor(t)
  t.equal(threads(), 0)
  const values = Array.from({ length: 200 }, (_, i) => (i % 2 ? i : String(i)))
  const verdicts = await Promise.all(values.map((value, i) => check({ ...text, title: `${i % 7}` }, value)))
  t.same(
    verdicts.map(({ ok }) => ok),
    values.map(value => typeof value === 'string'),
  )
  t.same(await problemsOf(text), [])
  t.equal(threads(), 1)
})

t.test('more schemas than are remembered are checked all the same', async t => {
  const { check } = checkerFor(t)
  for (const _ of [1, 2]) {
    for (let i = 0; i < 250; i++) t.same(await check({ const: i }, i), { ok: true })
  }
})

t.test('a pattern that would take for ever ends at the deadline, and the next check is done', async t => {
  const { timers, running, strike } = heldDeadlines()
  const { check } = checkerFor(t, { deadlineMs: 50, timers })
  threads()
  const checked = check(catastrophe.schema, catastrophe.value)
  await running()
  strike()
  t.same(await checked, tooLong)
  t.same(await check(text, 'x'), { ok: true })
  t.equal(threads(), 2)
})

t.test(
  'a check that was kept from running goes on, and ends when it has run long enough, or for good',
  async t => {
    for (const { ran, strikes } of [
      { ran: [0, 10, 39, 41], strikes: 3 },
      { ran: Array(11).fill(0), strikes: 10 },
    ]) {
      const { timers, running, strike } = heldDeadlines()
      const { check } = checkerFor(t, { deadlineMs: 50, timers, runTime: () => ran.shift() })
      let isDone = false
      const checked = check(catastrophe.schema, catastrophe.value).finally(() => (isDone = true))
      for (let n = 1; n <= strikes; n++) {
        t.notOk(isDone)
        await running()
        strike()
      }
      t.same(await checked, tooLong, `after ${strikes} deadlines`)
    }
  },
)

const isCounted = processorMs(ownThread()) !== undefined
t.test('the time that the thread itself has run ends a check', { skip: !isCounted }, async t => {
  const { timers, running, strike } = heldDeadlines()
  const { check } = checkerFor(t, { deadlineMs: 300, timers, runTime: processorMs })
  const checked = check(catastrophe.schema, catastrophe.value)
  await running()
  strike() // it has hardly begun
  await running()
  await wait(600)
  for (let isDone = false; !isDone; ) {
    strike()
    isDone = await Promise.race([checked.then(() => true), wait(100).then(() => false)])
  }
  t.match(await checked, { ok: false, problems: ['the check took longer than 300 ms'] })
})

t.test('a deadline by the clock ends a check too', async t => {
  const { check } = checkerFor(t, { deadlineMs: 50 })
  t.same(await check(catastrophe.schema, catastrophe.value), tooLong)
})

t.test('what would take for ever without a pattern ends as well', async t => {
  const { timers, running, strike } = heldDeadlines()
  const { check } = checkerFor(t, { deadlineMs: 50, timers })
  const checked = check(doubling(60, { not: {} }), 1)
  await running()
  strike()
  t.same(await checked, tooLong)
})

t.test('calls that wait for a thread are done by the one that replaces it', async t => {
  const { timers, running, strike } = heldDeadlines()
  const { check, problemsOf } = checkerFor(t, { deadlineMs: 50, timers })
  const calls = [
    check(catastrophe.schema, catastrophe.value),
    check(text, 'x'),
    check(text, 1),
    check(catastrophe.schema, catastrophe.value),
    check(text, 'y'),
  ]
  const own = problemsOf({ type: 'nonsense' })
  await running()
  strike()
  t.same(await calls[0], tooLong)
  t.same(await calls[1], { ok: true })
  t.same(await calls[2], { ok: false, problems: ['the value must be string'] })
  await running()
  strike()
  t.same(await Promise.all(calls.slice(3)), [tooLong, { ok: true }])
  t.not((await own).length, 0)
})

t.test('an answer that is there when the deadline passes is heard', async t => {
  const { timers, running, strike } = heldDeadlines()
  const { check } = checkerFor(t, { deadlineMs: 50, timers })
  threads()
  const checked = check(text, 1)
  await running()
  strike(1000)
  t.same(await checked, { ok: false, problems: ['the value must be string'] })
  t.same(await check(text, 'x'), { ok: true })
  t.equal(threads(), 1)
})

t.test('a check that takes too much memory is not ok, and the next check is done', async t => {
  const { check } = checkerFor(t)
  threads()
  t.same(await check(doubling(26, { not: {} }), 1), {
    ok: false,
    problems: ['the check took too much memory'],
  })
  t.same(await check(text, 'x'), { ok: true })
  t.equal(threads(), 2)
})

t.test('after close nothing is answered any more', async t => {
  const { timers, running } = heldDeadlines()
  const { check, problemsOf, close } = checkerFor(t, { timers })
  const refused = [
    t.rejects(check(catastrophe.schema, catastrophe.value), { message: 'the schema checker is closed' }),
    t.rejects(check(text, 'x'), { message: 'the schema checker is closed' }),
  ]
  await running()
  await close()
  await Promise.all(refused)
  await t.rejects(problemsOf(text), { message: 'the schema checker is closed' })
  await close()
})

t.test('a thread that has not even started can be closed', async t => {
  const { check, close } = checkerFor(t)
  const refused = t.rejects(check(text, 'x'), { message: 'the schema checker is closed' })
  await close()
  await refused
})

t.test('a checker that was never used closes', async t => {
  threads()
  await checkerFor(t).close()
  t.equal(threads(), 0)
})

/** What a process of its own prints that makes a checker; it is killed if it does not end by itself. */
const alone = (t: Test, code: string) => {
  const checker = path.resolve(import.meta.dirname, '../../src/json-schema/checker.ts')
  const source = `import { createSchemaChecker } from ${JSON.stringify(checker)}\n${code}`
  const script = path.join(t.testdir({ 'script.mjs': source }), 'script.mjs')
  const options = { encoding: 'utf8', timeout: 60_000 } as const
  const { stdout, stderr, status } = spawnSync(process.execPath, [script], options)
  return { stdout, stderr, status }
}

t.test('a thread that waits for work keeps no process alive', async t => {
  const code = `const { check } = createSchemaChecker()
console.log((await check({ type: 'string' }, 'x')).ok)`
  t.same(alone(t, code), { stdout: 'true\n', stderr: '', status: 0 })
})

t.test('a thread that is ended by close keeps no process alive', async t => {
  const code = `const { check, close } = createSchemaChecker({ deadlineMs: 3600_000 })
await check({ type: 'string' }, 'x')
check(${JSON.stringify(catastrophe.schema)}, ${JSON.stringify(catastrophe.value)}).catch(error => console.log(error.message))
await close()
console.log('closed')`
  t.same(alone(t, code), { stdout: 'the schema checker is closed\nclosed\n', stderr: '', status: 0 })
})
