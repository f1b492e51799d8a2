// A log that is gone, or that has forgotten its newest events: nothing that belongs to it is removed without the word of
// the operator. And after this word, it is moved to a folder where the operator finds it.
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import t, { type Test } from 'tap'
import { envCalls } from '../http/env-calls.ts'
import { refusedStart, runReprise, spawnServer as spawn } from '../support/server.ts'
import { play } from './wire.ts'

t.jobs = 2
/** A stop waits for no running task. */
const spawnServer = (t: Test, dataDir: string, options: string[] = []) =>
  spawn(t, dataDir, { DRAIN_SECONDS: '0' }, options)
const people = { env_id: 'sql', env_init_kwargs: { csv: { people: 'name\nAnn\n' } } }
const query = ['query', { sql: 'SELECT * FROM people' }] as const

/** Every file below a folder with its content; the lock and the files of SQLite's readers do not count. */
const contentOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && !/^lock\.db|-shm$|-wal$/.test(entry.name))
      .map(entry => path.join(entry.parentPath, entry.name))
      .sort()
      .map(file => [path.relative(folder, file), readFileSync(file, 'base64')]),
  )
const secretsIn = (file: string): number => {
  const db = new Database(file, { readonly: true })
  const count = db.prepare('SELECT count(*) FROM secrets').pluck().get() as number
  db.close()
  return count
}
const sessionOf = (dataDir: string, id: string) => path.join(dataDir, 'environments/default', id)

/** A server that has made a session and a task with a secret; it is stopped. */
const used = async (t: Test, dataDir: string, id: string) => {
  const server = await spawnServer(t, dataDir)
  t.equal((await envCalls(server.api).create({ session_id: id, ...people })).status, 200)
  await play(server.api, [{ sleep_ms: 60_000 }], { env: { KEY: 'value' } })
  t.same(await server.end('SIGTERM'), [0, null])
}
const logFiles = ['log.db', 'log.db-wal', 'log.db-shm']
const remove = (dataDir: string, names: string[]) => {
  for (const name of names) rmSync(path.join(dataDir, name), { recursive: true, force: true })
}

/** By what shows that there was a log: what else is gone with it. */
const rows: [shown: RegExp, gone: string[]][] = [
  [/read\.db says that it had \d+ events/, []],
  [/checkpoints says that it had \d+ events/, ['read.db', 'read.db-wal', 'read.db-shm']],
  [/secrets\.db, audit-key and environments show that there was one/, ['read.db', 'checkpoints', 'tiles']],
  [/secrets\.db and environments show that there was one/, ['read.db', 'checkpoints', 'tiles', 'audit-key']],
  [/environments shows that there was one/, ['read.db', 'checkpoints', 'tiles', 'audit-key', 'secrets.db']],
]
t.test('where only the log is gone, no new one is begun, and nothing is removed', async t => {
  const whole = path.join(t.testdir(), 'whole')
  await used(t, whole, 's1')
  for (const [n, [shown, gone]] of rows.entries()) {
    const dataDir = `${whole}-${n}`
    cpSync(whole, dataDir, { recursive: true })
    remove(dataDir, [...logFiles, ...gone])
    const before = contentOf(dataDir)
    const { code, stdout, stderr } = await refusedStart(dataDir)
    t.same({ code, stdout }, { code: 75, stdout: '' })
    t.match(stderr, shown)
    t.match(
      stderr,
      /^reprise: \S+log\.db is missing, but .+: restore it from a backup \(reprise restore FILE\), or mount the volume that it is on; to begin a new log beside these files: reprise serve --accept-loss\n$/,
    )
    t.same(contentOf(dataDir), before)
    t.equal(existsSync(path.join(dataDir, 'log.db')), false)
    if (gone.length > 0) continue
    t.match(await runReprise(['token', 'create', '--role', 'user'], { DATA_DIR: dataDir }), { code: 2 })
    t.same(contentOf(dataDir), before, 'a command makes none either')
    cpSync(path.join(whole, 'log.db'), path.join(dataDir, 'log.db'))
    const server = await spawnServer(t, dataDir)
    t.equal((await envCalls(server.api).step('s1', ...query)).status, 200, 'with its log it goes on')
    t.same(await server.end('SIGTERM'), [0, null])
  }
})

t.test(
  'where only the secrets are gone, no session is closed for them without the word of the operator',
  async t => {
    const dataDir = path.join(t.testdir(), 'data')
    await used(t, dataDir, 's1')
    const [file, away] = [path.join(dataDir, 'secrets.db'), path.join(dataDir, '../secrets.db')]
    for (const others of [[], ['tiles'], ['children'], ['read.db', 'read.db-wal', 'read.db-shm']]) {
      remove(dataDir, others)
      renameSync(file, away)
      const before = contentOf(dataDir)
      const { code, stdout, stderr } = await refusedStart(dataDir)
      t.same({ code, stdout }, { code: 75, stdout: '' })
      t.match(stderr, /^reprise: \S+secrets\.db is missing, and a server has worked in this folder: .+\n$/)
      t.match(await runReprise(['token', 'create', '--role', 'user'], { DATA_DIR: dataDir }), { code: 75 })
      t.same(contentOf(dataDir), before, 'neither a start nor a command makes a new one')
      renameSync(away, file)
      const server = await spawnServer(t, dataDir)
      t.equal((await envCalls(server.api).step('s1', ...query)).status, 200, 'with its secrets it goes on')
      t.same(await server.end('SIGTERM'), [0, null])
    }
    renameSync(file, away)
    const server = await spawnServer(t, dataDir, ['--accept-loss'])
    t.match(server.stderr(), /the secret values of this folder are gone, as the option --accept-loss allows/)
    await server.end('SIGTERM')
  },
)

t.test(
  'a start that has failed before there were secrets does not stand in the way of the next one',
  async t => {
    const dataDir = path.join(t.testdir(), 'data')
    const failed = await refusedStart(dataDir, { MODEL_PROVIDER: '@ai-sdk/not-there', MODEL: 'm' })
    t.match(failed, { code: 2, stderr: /@ai-sdk\/not-there is not installed/ })
    t.same(
      [existsSync(path.join(dataDir, 'log.db')), existsSync(path.join(dataDir, 'secrets.db'))],
      [true, false],
    )
    const server = await spawnServer(t, dataDir)
    t.same(await server.end('SIGTERM'), [0, null])
  },
)

t.test('a log on a volume that is mounted later', async t => {
  const top = t.testdir({ volume: {}, data: {} })
  const [volume, dataDir] = [path.join(top, 'volume'), path.join(top, 'data')]
  await used(t, dataDir, 's1')
  renameSync(path.join(dataDir, 'log.db'), path.join(volume, 'log.db'))
  symlinkSync('../volume/log.db', path.join(dataDir, 'log.db'))
  renameSync(volume, `${volume}-away`)
  const before = contentOf(dataDir)
  t.match(await refusedStart(dataDir), {
    code: 75,
    stderr: /log\.db is a link that leads nowhere, .+: mount the volume/,
  })
  mkdirSync(volume) // the place to mount it, without the volume
  t.match(await refusedStart(dataDir), {
    code: 75,
    stderr: /log\.db is a link that leads nowhere, .+: mount the volume/,
  })
  t.same(contentOf(dataDir), before)
  rmSync(volume, { recursive: true })
  renameSync(`${volume}-away`, volume)
  const server = await spawnServer(t, dataDir)
  t.equal((await envCalls(server.api).step('s1', ...query)).status, 200)
  await server.end('SIGTERM')
})

t.test('a new log that the operator wants begins, and what was there is set aside', async t => {
  const dataDir = path.join(t.testdir(), 'data')
  await used(t, dataDir, 's1')
  const session = contentOf(sessionOf(dataDir, 's1'))
  remove(dataDir, logFiles)
  const server = await spawnServer(t, dataDir, ['--accept-loss'])
  t.match(server.stderr(), /a new log takes the place of one that is gone/)
  t.match(server.stderr(), /was moved to \S+\/left-behind: remove that folder when you do not need it/)
  t.same(contentOf(path.join(dataDir, 'left-behind/default/s1')), session)
  t.equal(secretsIn(path.join(dataDir, 'left-behind/secrets.db')), 1)
  t.equal(secretsIn(path.join(dataDir, 'secrets.db')), 0)
  const audited = await (await server.api('GET', '/audit/events?stream=log')).json()
  t.match(audited, { data: [{ type: 'LogResumed', data: { reason: 'loss_accepted' } }] })
  t.equal(
    (await envCalls(server.api).create({ session_id: 's1', ...people })).status,
    200,
    'the name is free',
  )
  t.same(await server.end('SIGTERM'), [0, null])
  const next = await spawnServer(t, dataDir)
  t.notMatch(next.stderr(), /was moved/, 'it is said once')
  t.equal((await envCalls(next.api).step('s1', ...query)).status, 200)
  t.same(await next.end('SIGTERM'), [0, null])
})

t.test('an older backup over a newer folder takes the word of the operator, and removes nothing', async t => {
  const top = t.testdir()
  const [dataDir, backup] = [path.join(top, 'data'), path.join(top, 'monday.db')]
  await used(t, dataDir, 'old')
  t.match(await runReprise(['backup', backup], { DATA_DIR: dataDir }), { code: 0 })
  await used(t, dataDir, 'new')
  const newer = path.join(top, 'newer.db')
  t.match(await runReprise(['backup', newer], { DATA_DIR: dataDir }), { code: 0 })
  const kept = { environments: contentOf(path.join(dataDir, 'environments')) }

  // By hand: the start refuses, and everything stays.
  const byHand = path.join(top, 'by-hand')
  cpSync(dataDir, byHand, { recursive: true })
  remove(byHand, logFiles)
  cpSync(backup, path.join(byHand, 'log.db'))
  t.match(await refusedStart(byHand), {
    code: 2,
    stderr: /the missing events were acknowledged and are lost/,
  })
  t.same(contentOf(path.join(byHand, 'environments')), kept.environments)
  const accepted = await spawnServer(t, byHand, ['--accept-loss'])
  t.ok(existsSync(path.join(byHand, 'left-behind/default/new')))
  t.same(await accepted.end('SIGTERM'), [0, null])

  // As it is documented: what only the newer events name is set aside.
  const session = contentOf(sessionOf(dataDir, 'new'))
  t.match(await runReprise(['restore', backup, '--force'], { DATA_DIR: dataDir }), { code: 0 })
  const server = await spawnServer(t, dataDir)
  t.equal((await envCalls(server.api).step('old', ...query)).status, 200)
  t.equal((await envCalls(server.api).step('new', ...query)).status, 404)
  t.same(contentOf(path.join(dataDir, 'left-behind/default/new')), session)
  t.same(await server.end('SIGTERM'), [0, null])

  // And back: the newer log comes again, and its files with it.
  t.match(await runReprise(['restore', newer, '--force'], { DATA_DIR: dataDir }), { code: 0 })
  rmSync(sessionOf(dataDir, 'new'), { recursive: true, force: true })
  execFileSync('mv', [
    path.join(dataDir, 'left-behind/default/new'),
    path.join(dataDir, 'environments/default/'),
  ])
  const again = await spawnServer(t, dataDir)
  t.equal((await envCalls(again.api).step('new', ...query)).status, 200)
  t.same(await again.end('SIGTERM'), [0, null])
})

t.test('what a crash leaves beside a log that has lost nothing is removed as ever', async t => {
  const dataDir = path.join(t.testdir(), 'data')
  await used(t, dataDir, 's1')
  mkdirSync(path.join(sessionOf(dataDir, 'unborn'), 'files'), { recursive: true })
  writeFileSync(path.join(sessionOf(dataDir, 'unborn'), 'files/a'), 'of a create that a kill has interrupted')
  const server = await spawnServer(t, dataDir)
  t.notOk(existsSync(sessionOf(dataDir, 'unborn')))
  t.notOk(existsSync(path.join(dataDir, 'left-behind')))
  t.equal((await envCalls(server.api).step('s1', ...query)).status, 200)
  t.same(await server.end('SIGTERM'), [0, null])
})
