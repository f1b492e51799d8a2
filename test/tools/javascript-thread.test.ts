// What the thread adds to the interpreter: the same result twice, limits, and an end.
import { setMaxListeners } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import t from 'tap'
import { ownThread, processorMs } from '../../src/platform/threads/thread-time.ts'
import { realWorld } from '../../src/platform/world.ts'
import { runJavascript } from '../../src/tools/run-javascript.ts'
import { until } from '../support/http.ts'
import { type Call, failure, lowThreads, runTool, stayAlive, timersThat, workshop } from './support.ts'

stayAlive(t)
/** Longer than the tool allows: calls that never end go on until the test stops them. */
const patient = runJavascript(realWorld().timers, 60_000)
const run = (code: string, call: Call = {}) => runTool(patient, { code }, call)

const isCounted = processorMs(ownThread()) !== undefined
/** The threads that run code of users. */
const threads = (): number => lowThreads(workshop() ?? process.pid)
/** Linux lists a thread for a moment after it has ended. */
const noThreads = (): Promise<void> => until(() => threads() === 0, 10_000)

t.test('the same call gives the same twice', async t => {
  const code = `
    const seen = [Date.now(), new Date().toISOString(), Date(), new Date(2026, 6, 1).toString()]
    for (let i = 0; i < 1e5; i++) {}
    seen.push(Date.now(), new Date().getHours(), new Date().getTimezoneOffset())
    seen.push(Math.random(), Math.random(), [3, 1, 2].sort(() => Math.random() - 0.5))
    seen`
  const call = { effectId: 'effect-9', at: Date.parse('2026-03-04T05:06:07.089Z') }
  const once = await run(code, call)
  const [now, iso, text, local, later, hours, offset, first, second] = JSON.parse(once)
  t.same([now, later], [call.at, call.at])
  t.equal(iso, '2026-03-04T05:06:07.089Z')
  t.equal(text, 'Wed Mar 04 2026 05:06:07 GMT+0000')
  t.equal(local, 'Wed Jul 01 2026 00:00:00 GMT+0000')
  t.same([hours, offset], [5, 0])
  t.not(first, second)
  t.ok(first >= 0 && first < 1)
  t.equal(await run(code, call), once)
  t.not(JSON.parse(await run(code, { ...call, effectId: 'effect-10' }))[7], first)
})

t.test('the zone of this machine does not show', async t => {
  const before = process.env.TZ
  process.env.TZ = 'America/New_York'
  t.teardown(() => {
    if (before === undefined) delete process.env.TZ
    else process.env.TZ = before
  })
  t.equal(new Date(2026, 0, 1).getTimezoneOffset(), 300, 'as it does here')
  t.equal(await run('new Date(2026, 6, 1).toISOString()'), '2026-07-01T00:00:00.000Z')
})

t.test('what takes too much memory or is too deep fails, and only that call', async t => {
  const failures: Record<string, RegExp> = {
    'const a = []; for (;;) a.push(new Uint8Array(1e6))': /out of memory/,
    'const a = []; for (;;) a.push("x".repeat(1e6))': /out of memory/,
    'let a = []; for (;;) a = [a, a]': /out of memory/,
    'new ArrayBuffer(1e9)': /out of memory/,
    'let s = "ab"; for (;;) s += s': /too long|out of memory/,
    'const f = () => f() + 1; f()': /stack overflow/,
    'const f = n => [n].map(f); f(1)': /stack overflow/,
    'let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; o': /stack overflow/,
    'eval("(".repeat(1e5))': /stack overflow|calls itself too deeply/,
  }
  for (const [code, end] of Object.entries(failures)) {
    t.match(await failure(run(code)), end, code)
  }
  t.equal(await run('1'), '1')
})

const endless = [
  'for (;;);',
  'try { for (;;); } catch {} finally { for (;;); }',
  'const f = () => Promise.resolve().then(f); f()',
  '/(a+)+$/.test("a".repeat(60) + "b")',
  'Array(60).fill(0).reduce(a => [a, a], [])', // a value without end
]

t.test('code that never ends is ended at the deadline, and its thread with it', async t => {
  const tool = runJavascript(realWorld().timers, 100)
  for (const code of endless) {
    t.equal(await failure(runTool(tool, { code })), 'The code ran longer than 100 ms and was stopped', code)
    await noThreads()
  }
  t.equal(
    await failure(runTool(tool, { code: 'console.log("seen"); for (;;);' })),
    'The code ran longer than 100 ms and was stopped\nPrinted before:\nseen',
  )
})

t.test('code that a busy machine keeps from running is not ended for it', { skip: !isCounted }, async t => {
  const real = realWorld().timers
  let isFirst = true
  // The deadlines start when the code begins. A moment later the workshop stands still, for longer than both of them: 6 s
  // of the interpreter and 8.5 s of its thread. Then the code has 14 s until the last of its deadlines, since it runs at
  // low priority beside other tests.
  const after = (ms: number, job: () => void) => {
    const pid = workshop() ?? 0
    if (isFirst) setTimeout(() => process.kill(pid, 'SIGSTOP'), 100)
    if (isFirst) setTimeout(() => process.kill(pid, 'SIGCONT'), 9_500)
    isFirst = false
    return real.after(ms, job)
  }
  const tool = runJavascript({ ...real, after }, 6_000)
  t.equal(await runTool(tool, { code: 'let n = 0; while (n < 3e6) n++; n' }), '3000000')
})

t.test('an interpreter that does not stop by itself is ended from outside', async t => {
  // The timer of the deadline is set when the code begins: here it fires at once.
  const timers = timersThat(setImmediate)
  t.equal(
    await failure(runTool(runJavascript(timers), { code: 'for (;;);' })),
    'The code ran longer than 5000 ms and was stopped',
  )
  await noThreads()
})

t.test('code that never ends is ended when the call is stopped, and its thread with it', async t => {
  for (const code of endless) {
    const stop = new AbortController()
    const timers = timersThat(() => {
      t.equal(threads(), 1, 'the thread runs')
      setImmediate(() => stop.abort())
    })
    t.equal(
      await failure(runTool(runJavascript(timers), { code }, { signal: stop.signal })),
      'The call was stopped',
      code,
    )
    await noThreads()
  }
})

t.test('a user with a hundred calls that never end holds up no call of another', async t => {
  const stop = new AbortController()
  setMaxListeners(0, stop.signal)
  const held = Array.from({ length: 100 }, () => run('for (;;);', { user: 'ann', signal: stop.signal }))
  const ended = Promise.allSettled(held).then(() => 'over')
  t.equal(await Promise.race([ended, run('6 * 7', { user: 'bob' })]), '42')
  await until(() => threads() > 0) // and ann's go on
  stop.abort()
  t.equal(await failure(held.at(-1) as Promise<string>), 'The call was stopped', 'one that has waited, too')
  await ended
  await noThreads()
})

t.test(
  'code of users runs in a process of its own, so it cannot hold a lock that the server waits for',
  async t => {
    const stop = new AbortController()
    const held = run('for (;;);', { signal: stop.signal })
    t.equal(await run('6 * 7', { user: 'bob' }), '42')
    const pid = workshop() ?? 0
    await until(() => lowThreads(pid) === 1)
    t.equal(lowThreads(process.pid), 0)
    const sessionOf = (of: number) =>
      readFileSync(`/proc/${of}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')[3]
    t.not(
      sessionOf(pid),
      sessionOf(process.pid),
      'it shares no session, which the processors may be shared among',
    )
    if (existsSync('/proc/self/autogroup'))
      t.match(
        readFileSync(`/proc/${pid}/autogroup`, 'utf8'),
        /nice 19$/m,
        'and its session gives way to all others',
      )

    process.kill(pid, 'SIGKILL')
    t.equal(await failure(held), 'The thread ended without an answer')
    t.equal(await run('6 * 7'), '42', 'another one takes its place')
    t.not(workshop(), pid)
  },
)
