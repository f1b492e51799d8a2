// A file system of its own, small enough to be filled.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import { CannotStart } from '../../src/contract/cannot-start.ts'
import { type Recorded, StorageFailure } from '../../src/contract/stored.ts'
import {
  all,
  dataOf,
  fileIn,
  numbered,
  oneToN,
  openFile,
  places,
  rejection,
  sameText,
  to,
} from './support.ts'

/** A folder on a file system of its own; undefined where mounting is not permitted. */
const mounted = (t: Test, size: string): string | undefined => {
  const folder = mkdtempSync(path.join(tmpdir(), 'reprise-small-'))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder])
  t.teardown(() => {
    if (status === 0) spawnSync('umount', ['-l', folder])
    rmdirSync(folder)
  })
  return status === 0 ? folder : undefined
}
const noMount = (t: Test) => t.pass('', { skip: 'mounting a tmpfs is not permitted here' })

const fill = (folder: string): string => {
  const ballast = path.join(folder, 'ballast')
  const { bavail, bsize } = statfsSync(folder)
  writeFileSync(ballast, Buffer.alloc(bavail * bsize))
  return ballast
}

t.test('a full disk rejects appends, loses nothing, and ends when there is room', async t => {
  const folder = mounted(t, '2m')
  if (folder === undefined) return void noMount(t)
  const file = fileIn(folder)
  const log = await openFile(t, file)
  let reopened = 0
  log.onReopened(async () => {
    reopened++
  })
  const acknowledged: Recorded[] = []
  const told: number[] = []
  log.onCommit(events => void told.push(...events.map(({ position }) => position)))

  const text = 'x'.repeat(2000)
  const errors: unknown[] = []
  const append = (n: number) =>
    log.append([to(`s${n}`, -1, { n, text })]).then(
      events => void acknowledged.push(...events),
      error => void errors.push(error),
    )
  for (let n = 0; n < 2000 && errors.length === 0; n += 20)
    await Promise.all(numbered(20, n).map(({ n }) => append(n)))
  t.ok(errors.length > 0, `full after ${acknowledged.length} events`)
  t.ok(errors.every(error => error instanceof StorageFailure))
  t.ok(log.isFailing())
  sameText(t, told, oneToN(acknowledged.length))

  const ballast = fill(folder)
  for (let i = 0; i < 3; i++) {
    t.ok(
      (await rejection(log.append([to(`full${i}`, -1, { text })]))) instanceof StorageFailure,
      'still full',
    )
  }
  const readable = await all(log)
  sameText(t, places(readable).slice(0, acknowledged.length), places(acknowledged), 'reads go on')

  rmSync(ballast)
  spawnSync('mount', ['-o', 'remount,size=16m', folder])
  const next = await log.append([to('room', -1, { n: 'again' })])
  t.notOk(log.isFailing())
  t.equal(reopened, 1)
  acknowledged.push(...next)
  const events = await all(log)
  sameText(
    t,
    events.map(({ position }) => position),
    oneToN(events.length),
    'no hole',
  )
  const stored = new Set(places(events))
  t.ok(
    places(acknowledged).every(place => stored.has(place)),
    'nothing acknowledged is lost',
  )
  await log.close()
  const again = await openFile(t, file)
  sameText(t, places(await all(again)), places(events))
})

t.test('a batch that does not fit takes along a smaller one that would', async t => {
  const folder = mounted(t, '2m')
  if (folder === undefined) return void noMount(t)
  const log = await openFile(t, fileIn(folder))
  await log.append([to('a', -1, { n: 0 })])
  const calls = [
    log.append([to('large', -1, ...numbered(256).map(({ n }) => ({ n, text: 'x'.repeat(20_000) })))]),
    log.append([to('small', -1, { n: 1 })]),
  ]
  for (const call of calls) t.ok((await rejection(call)) instanceof StorageFailure)
  t.same(places(await log.append([to('small', -1, { n: 2 }), to('a', 0, { n: 3 })])), ['2 small@0', '3 a@1'])
  t.same(dataOf(await all(log)), [{ n: 0 }, { n: 2 }, { n: 3 }])
})

t.test('a start on a full disk opens, or says what failed; never that the log is damaged', async t => {
  const folder = mounted(t, '4m')
  if (folder === undefined) return void noMount(t)
  const file = fileIn(folder)
  const log = await openFile(t, file)
  await log.append([to('a', -1, ...numbered(300).map(({ n }) => ({ n, text: 'x'.repeat(2000) })))])
  // As a crash leaves them: the events are still in the WAL, and the disk is full.
  const [db, wal] = [readFileSync(file), readFileSync(`${file}-wal`)]
  t.ok(wal.length > 600_000)
  await log.close()
  writeFileSync(file, db)
  writeFileSync(`${file}-wal`, wal)
  const ballast = fill(folder)
  const error = await rejection(openFile(t, file).then(log => log.close()))
  if (error !== undefined) {
    t.ok(error instanceof CannotStart)
    t.match(error, { message: /^[^\n]*log\.db[^\n]*$/ }, 'one line that names the file')
    t.notMatch(error, { message: /damaged|backup/ }, 'nobody is sent to a backup of less')
  }
  rmSync(ballast)
  t.equal((await all(await openFile(t, file))).length, 300)
})
