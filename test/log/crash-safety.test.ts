// Power that fails keeps what was synced and anything, or nothing, of what was written later: here, any cut
// of the write-ahead log at or above its length at the last sync that has returned.
import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { randomOf } from '../support/world.ts'
import { appender, copyCut, heldBy } from './crash.ts'
import { all, fileIn, oneToN, openFile, sameText, to } from './support.ts'

const traced = [
  'strace',
  '-f',
  '--seccomp-bpf',
  '-y',
  '-s',
  '24',
  '-e',
  'trace=fdatasync,fsync,write,pwrite64,ftruncate',
]
const noStrace =
  spawnSync('strace', ['-f', '--seccomp-bpf', '-o', '/dev/null', 'true']).status === 0
    ? false
    : 'strace is not there or may not trace'

type Step = { what: 'written' | 'synced'; end: number } | { what: 'acknowledged'; position: number }

/** What strace saw, in order: writes to the WAL, syncs of it that returned, acknowledgements begun. */
const stepsOf = (trace: string): Step[] => {
  const steps: Step[] = []
  const begun = new Map<string, string>()
  let written = 0
  for (const line of trace.split('\n')) {
    const [, thread = '', text = ''] = line.match(/^(\d+) +(.*)$/) ?? []
    const position = text.match(/^write\(1<[^>]*>, "ack (\d+)\\n"/)?.[1]
    // A write counts as done from its beginning, which is the stricter way for what is said to the caller.
    if (position !== undefined) steps.push({ what: 'acknowledged', position: Number(position) })
    if (text.endsWith('<unfinished ...>')) {
      begun.set(thread, text.replace(/ *<unfinished \.\.\.>$/, ''))
      continue
    }
    const whole = text.replace(/^<\.\.\. \w+ resumed>/, () => begun.get(thread) ?? '')
    if (!/^\w+\(\d+<[^>]*-wal>/.test(whole)) continue
    const [, name, rest = ''] = whole.match(/^(\w+)\(\d+<[^>]*>(.*)$/) ?? []
    const result = Number(rest.match(/= (-?\d+)/)?.[1])
    if (name === 'ftruncate') written = Number(rest.match(/^, (\d+)/)?.[1])
    if (name === 'pwrite64') {
      const at = Number(rest.match(/, (\d+)\) += \d+$/)?.[1])
      written = at === 0 ? result : Math.max(written, at + result)
      steps.push({ what: 'written', end: written })
    }
    if ((name === 'fdatasync' || name === 'fsync') && result === 0)
      steps.push({ what: 'synced', end: written })
  }
  return steps
}

t.test('every acknowledgement follows a sync that holds its event', { skip: noStrace }, async t => {
  const folder = t.testdir({ cut: {} })
  const [file, trace] = [fileIn(folder), path.join(folder, 'trace')]
  const run = appender(t, file, 5, 300, [...traced, '-o', trace])
  await run.until(output => output.includes('done\n'))
  const wal = statSync(`${file}-wal`).size
  const steps = stepsOf(readFileSync(trace, 'utf8'))
  t.equal(run.acknowledged().length, 300)

  /** At each sync: the length of the WAL, and the last position acknowledged before the next one. */
  const syncs: { end: number; promised: number }[] = []
  let promised = 0
  let acknowledged = 0
  for (const step of steps) {
    if (step.what === 'synced') syncs.push({ end: step.end, promised })
    if (step.what === 'acknowledged') {
      acknowledged++
      promised = Math.max(promised, step.position)
      const sync = syncs.at(-1)
      if (sync !== undefined) sync.promised = promised
    }
  }
  t.equal(acknowledged, 300, 'strace saw each of them')
  t.ok(syncs.length > 50, `${syncs.length} syncs`)
  const reset = steps.findIndex((step, i) => {
    const before = steps[i - 1]
    return step.what === 'written' && before?.what === 'written' && step.end < before.end && before.end > 4096
  })
  t.equal(reset, -1, 'the WAL only grew while it was watched')

  const random = randomOf(5)
  const lost: string[] = []
  let cuts = 0
  const check = (length: number, promised: number) => {
    cuts++
    const held = heldBy(copyCut(file, path.join(folder, 'cut'), length))
    if (held < promised) lost.push(`cut at ${length} of ${wal}: ${held} events of ${promised} acknowledged`)
  }
  for (const [n, { end, promised }] of syncs.entries()) {
    if (promised === 0) continue
    check(end, promised)
    const next = syncs[n + 1]?.end ?? wal
    if (n % 3 === 0 && next > end) check(end + Math.floor(random() * (next - end)), promised)
  }
  t.same(lost, [], `${cuts} cuts`)
  await run.kill()
})

t.test('cut anywhere after its last acknowledgement, the log opens and holds it', async t => {
  const folder = t.testdir({ cut: {} })
  const file = fileIn(folder)
  const log = await openFile(t, file)
  const lengths: number[] = []
  for (let n = 0; n < 40; n++) {
    await log.append([to(`s${n % 3}`, Math.floor(n / 3) - 1, { n, text: 'x'.repeat(n * 30) })])
    lengths.push(statSync(`${file}-wal`).size)
  }
  const end = lengths.at(-1) ?? 0
  const promisedAt = (length: number) => lengths.filter(at => at <= length).length
  const between = (from: number, to: number, by: number) =>
    Array.from({ length: Math.ceil((to - from) / by) }, (_, i) => from + i * by)
  const [from = 0, next = 0] = lengths.slice(20, 22)
  const cuts = [
    ...lengths.flatMap(at => [at - 1, at, at + 1]),
    ...between(from - 30, from + 90, 1), // every byte about the end of a commit, and its next frame's head
    ...between(next - 30, next + 30, 1),
    ...between(from, next, 811),
  ].filter(length => length >= (lengths[0] ?? 0) && length <= end)
  const wrong: string[] = []
  for (const length of cuts) {
    const held = heldBy(copyCut(file, path.join(folder, 'cut'), length))
    const promised = promisedAt(length)
    if (held !== promised) wrong.push(`cut at ${length}: ${held} events, ${promised} acknowledged`)
  }
  t.same(wrong, [], `${cuts.length} cuts`)
})

t.test('a log that was cut goes on where its events end', async t => {
  const folder = t.testdir({ cut: {} })
  const file = fileIn(folder)
  const log = await openFile(t, file)
  for (let n = 0; n < 5; n++) await log.append([to('a', n - 1, { n })])
  const { size } = statSync(`${file}-wal`)
  await log.append([to('a', 4, { n: 5 }), to('b', -1, { n: 6 })])
  const cut = await openFile(t, copyCut(file, path.join(folder, 'cut'), size + 4000))
  t.equal(cut.head(), 5, 'the torn commit is gone as a whole')
  t.equal(cut.revisionOf('b'), -1)
  await cut.append([to('b', -1, {}), to('a', 4, {})])
  sameText(
    t,
    (await all(cut)).map(({ position }) => position),
    oneToN(7),
  )
})

t.test('killed at any moment, a process loses nothing that it has acknowledged', async t => {
  const folder = t.testdir({})
  const file = fileIn(folder)
  let last = 0
  for (const [round, events] of [30, 400, 1500].entries()) {
    const run = appender(t, file, 24, undefined, ['env', 'CHECKPOINTS=yes'])
    await run.until(output => output.length > events * 8)
    await run.kill()
    const acknowledged = run.acknowledged()
    const log = await openFile(t, file)
    const positions = (await all(log)).map(({ position }) => position)
    sameText(t, positions, oneToN(positions.length), 'no hole')
    sameText(
      t,
      acknowledged,
      oneToN(acknowledged.length).map(n => last + n),
      'acknowledged in order',
    )
    t.ok((acknowledged.at(-1) ?? 0) <= log.head(), `round ${round}: ${acknowledged.at(-1)} of ${log.head()}`)
    last = log.head()
    await log.close()
  }
})
