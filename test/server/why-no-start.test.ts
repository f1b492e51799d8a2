// Why a file of the data folder cannot be used: each cause has its own words and its own way out, and an exit code that
// says whether another start may help. Only what is damaged may be removed.
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { CannotStart, NotNow } from '../../src/contract/cannot-start.ts'
import { unusable } from '../../src/platform/files/unusable.ts'
import { isLocked, lockFolder } from '../../src/platform/sqlite/lock-file.ts'
import { another, noOther, publicFolder } from '../support/another-user.ts'
import { refusedStart, runReprise, spawnServer } from '../support/server.ts'
import { fill, free, noMount, smallDisk } from '../support/small-disk.ts'

t.jobs = 2
const removal = /remove|move (it|the file) away|backup/

/** Starts a server once, so that every file is there. */
const used = async (t: Test, dataDir: string): Promise<void> => {
  const server = await spawnServer(t, dataDir)
  t.equal((await fetch(`${server.url}/readyz`)).status, 200)
  t.same(await server.end('SIGTERM'), [0, null])
}

t.test('a full disk is said to be full, and a supervisor may try again', async t => {
  const disk = smallDisk(t, 16)
  if (disk === undefined) return void t.pass(noMount, { skip: noMount })
  const dataDir = path.join(disk, 'data')
  mkdirSync(dataDir)
  await used(t, dataDir)
  fill(disk)
  const { code, stdout, stderr } = await refusedStart(dataDir)
  t.same({ code, stdout }, { code: 75, stdout: '' })
  t.match(stderr, /^reprise: \S+ cannot be \w+: the disk is full: free space on it \(ENOSPC\)\n$/)
  t.notMatch(stderr, removal)
  free(disk)
  await used(t, dataDir)
})

t.test('a first start on a full disk is no other', async t => {
  const disk = smallDisk(t, 1)
  if (disk === undefined) return void t.pass(noMount, { skip: noMount })
  fill(disk)
  const { code, stderr } = await refusedStart(path.join(disk, 'data'))
  t.equal(code, 75)
  t.match(stderr, /^reprise: \S+ cannot be \w+: the disk is full: free space on it \(ENOSPC\)\n$/)
})

t.test('a file system that became read-only is named', async t => {
  const disk = smallDisk(t, 16)
  if (disk === undefined) return void t.pass(noMount, { skip: noMount })
  const dataDir = path.join(disk, 'data')
  mkdirSync(dataDir)
  await used(t, dataDir)
  t.equal(spawnSync('mount', ['-o', 'remount,ro', disk]).status, 0)
  const { code, stderr } = await refusedStart(dataDir)
  t.equal(code, 2)
  t.match(
    stderr,
    /^reprise: DATA_DIR=\S+ cannot be used: \S+ is on a file system that is mounted read-only: mount it/,
  )
  t.notMatch(stderr, removal)
})

t.test('a limit of open files is named, whichever file is opened first', async t => {
  for (const name of ['lock.db', 'secrets.db', 'log.db']) {
    const file = path.join(t.testdir(), name)
    const script = path.join(import.meta.dirname, 'out-of-files.ts')
    const run = ['-c', 'ulimit -n 100; exec "$0" --no-warnings "$@"', process.execPath, script, name, file]
    const { stdout } = spawnSync('bash', run, { encoding: 'utf8' })
    t.match(
      stdout,
      /^2 \S+ cannot be \w+: this process may not open more files: raise its limit .*\(EMFILE\)$/,
    )
    t.notMatch(stdout, removal)
  }
})

t.test('what is damaged may be removed when nothing is lost with it', async t => {
  const words = {
    'lock.db':
      /lock\.db cannot be locked: it is damaged: .+; when no server uses the folder, remove this file\n$/,
    'secrets.db':
      /secrets\.db cannot be used: it is damaged: .+; move it away, .*tasks that need them are paused, .+\n$/,
    'audit-key':
      /the audit key \S+ cannot be used \(.+\): put the key of this log there, or move the file away/,
  }
  const dataDir = t.testdir()
  await used(t, dataDir)
  for (const [name, says] of Object.entries(words)) {
    const file = path.join(dataDir, name)
    const sound = readFileSync(file)
    writeFileSync(file, 'this was never a database'.repeat(100))
    const { code, stderr } = await refusedStart(dataDir)
    t.equal(code, 2, name)
    t.match(stderr, says)
    writeFileSync(file, sound)
  }
})

t.test('a key that may not be read is not thrown away', { skip: noOther }, async t => {
  const top = publicFolder(t)
  mkdirSync(path.join(top, 'shut'), { mode: 0o700 })
  const dataDir = path.join(top, 'data')
  spawnSync('install', ['-d', '-m', '700', '-o', `${another.uid}`, dataDir])
  const { code, stderr } = await refusedStart(
    dataDir,
    { AUDIT_KEY_FILE: path.join(top, 'shut/key') },
    another,
  )
  t.equal(code, 2)
  t.match(stderr, /the audit key \S+\/shut\/key cannot be used: .* may not enter \S+\/shut/)
  t.notMatch(stderr, removal)
})

t.test('errors that no test can make for real are told apart, too', t => {
  const file = path.join(t.testdir(), 'lock.db')
  const rows: [code: string, says: RegExp, mayPass: boolean][] = [
    ['EDQUOT', /the quota of this user on the disk is used up/, true],
    ['EIO', /the disk reports an I\/O error: look at the messages of the kernel/, true],
    ['SQLITE_IOERR_FSYNC', /the disk reports an I\/O error/, true],
    ['SQLITE_FULL', /the disk is full/, true],
    ['SQLITE_BUSY', /another process has locked it/, true],
    ['ESTALE', /the file system does not answer: look at its mount/, true],
    ['ENFILE', /the machine has too many open files/, true],
    ['EROFS', /mounted read-only/, false],
    ['EPERM', /the system forbids it: .*immutable/, false],
    ['SQLITE_MISUSE', /the words of SQLite/, false],
  ]
  for (const [code, says, mayPass] of rows) {
    const error = unusable(file, Object.assign(new Error('the words of SQLite'), { code }), {
      whenDamaged: 'remove it',
    })
    t.match(error.message, says, code)
    t.notMatch(error.message, removal)
    t.equal(error instanceof NotNow, mayPass, code)
  }
  t.same(readdirSync(path.dirname(file)), [], 'the trial leaves nothing behind')
  t.end()
})

t.test('a lock is said to be held only when a process holds it', { skip: noOther }, t => {
  const folder = publicFolder(t)
  const file = path.join(folder, 'lock.db')
  t.equal(isLocked(file), false, 'there is no file')
  t.notOk(existsSync(file), 'and to ask makes none')
  const unlock = lockFolder(file, () => 'in use')
  t.equal(isLocked(file), true)
  unlock()
  t.equal(isLocked(file), false)
  const wrong: Record<string, () => void> = {
    'is damaged': () => writeFileSync(file, 'no database, '.repeat(100)),
    'is a FIFO, and must be a file': () => spawnSync('sh', ['-c', `rm ${file}; mkfifo ${file}`]),
    'is a folder, and must be a file': () => spawnSync('sh', ['-c', `rm ${file}; mkdir ${file}`]),
  }
  for (const [says, make] of Object.entries(wrong)) {
    make()
    t.throws(() => isLocked(file), { constructor: CannotStart, message: says }, says)
  }
  t.end()
})

t.test('a command that may not look at the lock says so, and asks no server', { skip: noOther }, async t => {
  const dataDir = path.join(publicFolder(t), 'data')
  const server = await spawnServer(t, dataDir)
  chmodSync(dataDir, 0o755)
  chmodSync(path.join(dataDir, 'server.json'), 0o644)
  const asked = await runReprise(
    ['cron', 'list'],
    { DATA_DIR: dataDir, ADMIN_TOKEN: 'x'.repeat(20) },
    another,
  )
  t.match(asked, {
    code: 2,
    stdout: '',
    stderr: /lock\.db cannot be looked at: .* may not (read|write) \S+lock\.db/,
  })
  t.same(await server.end('SIGTERM'), [0, null])
})
