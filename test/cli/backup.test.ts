// reprise backup and restore, as processes: under load, into other folders, and when something is wrong.
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { envCalls } from '../http/env-calls.ts'
import { allTasks, createTask, getTask, play, saidBy, sleep, until, untilStatus } from '../server/wire.ts'
import { runReprise, serveHere, spawnServer } from '../support/server.ts'
import { givenFolder, spoilt } from './folder.ts'
import { jsonLines, start } from './support.ts'

const run = (dataDir: string, ...args: string[]) => runReprise(args, { DATA_DIR: dataDir })
type Copied = { position: number; events: number; bytes: number; log_id: string }

t.test(
  'taken under load, restored elsewhere: everything acknowledged before is there, and equal',
  async t => {
    const root = t.testdir()
    const server = await spawnServer(t, path.join(root, 'data'))
    const file = path.join(root, 'backup.db')
    const paused = await play(server.api, [{ pause: 'tea' }, { message: 'refreshed' }])
    await untilStatus(server.api, paused.id, 'paused')

    let loaded = true
    const created: string[] = []
    const load = async () => {
      while (loaded)
        created.push((await createTask(server.api, { user_message_content: 'x', client_id: 'echo' })).id)
    }
    const loads = Promise.all([load(), load(), load(), load()])
    await sleep(300)
    const before = [...created]
    const taken = await run(path.join(root, 'data'), 'backup', file, '--json')
    const after = created.length
    loaded = false
    await loads
    t.match(taken, { code: 0, stderr: '' })
    const [copied] = jsonLines<Copied>(taken.stdout)
    t.equal(copied?.events, copied?.position)
    t.equal(copied?.bytes, statSync(file).size)
    t.equal(statSync(file).mode & 0o777, 0o600)
    t.ok(after > before.length, 'tasks were created meanwhile')
    t.same(readdirSync(root).sort(), ['backup.db', 'data'], 'nothing else is left')
    await server.end('SIGKILL')

    const other = path.join(root, 'other')
    const restored = await run(other, 'restore', file, '--json')
    t.match(restored, { code: 0, stderr: '' })
    t.match(jsonLines(restored.stdout), [
      { position: copied?.position, log_id: copied?.log_id, bytes: copied?.bytes, data_dir: other },
    ])
    const equal = await run(other, 'replay', '--all', '--json')
    t.match(equal.code, 0)
    t.match(jsonLines(equal.stdout), [
      // With the word that it was restored.
      { matches: true, events: (copied?.events ?? 0) + 1, compared_at: (copied?.position ?? 0) + 1 },
    ])

    const { api } = await serveHere(t, { DATA_DIR: other })
    const there = new Set((await allTasks(api)).map(({ id }) => id))
    t.same(
      before.filter(id => !there.has(id)),
      [],
    )
    t.equal((await api('POST', `/tasks/${paused.id}/resume`)).status, 200)
    t.same(saidBy(await untilStatus(api, paused.id, 'completed')), ['refreshed'], 'and goes on')
  },
)

t.test('secrets stay behind: a task that needs them pauses and says why', async t => {
  const { api, dataDir, stop } = await serveHere(t, { DRAIN_SECONDS: '0' })
  const secret = 'a-value-that-nobody-else-has'
  const { id } = await play(api, [{ sleep_ms: 60_000 }], { env: { API_KEY: secret } })
  const root = t.testdir()
  const file = path.join(root, 'backup.db')
  t.match(await run(dataDir, 'backup', file), {
    code: 0,
    stdout: /: \d+ events of 2 streams, .+ checked\n$/,
  })
  await stop()
  t.notOk(readFileSync(file).includes(secret))
  const other = path.join(root, 'other')
  t.match(await run(other, 'restore', file), { code: 0, stdout: /other: \d+ events of .+, 1 task\n$/ })
  const next = await serveHere(t, { DATA_DIR: other, DRAIN_SECONDS: '0' })
  t.match((await untilStatus(next.api, id, 'paused')).metadata, { reason: 'secret_missing' })
})

t.test('a file that is there is replaced with --force alone, and the log never', async t => {
  const { dataDir, id } = await givenFolder(t)
  const root = t.testdir({ 'backup.db': 'precious', folder: {} })
  const file = path.join(root, 'backup.db')
  const refusals: [string[], RegExp][] = [
    [[file], /backup\.db exists: choose another name, or add --force/],
    [[path.join(root, 'folder')], /folder is a folder: name a file in it/],
    [[path.join(dataDir, 'log.db'), '--force'], /log\.db is the log itself: choose another name/],
    [
      [path.join(root, 'none/backup.db')],
      /cannot be copied to .+none\/backup\.db: there is no folder .+none\n/,
    ],
  ]
  for (const [args, says] of refusals) {
    const { code, stdout, stderr } = await run(dataDir, 'backup', ...args)
    t.same({ code, stdout }, { code: 2, stdout: '' })
    t.match(stderr, says)
    t.match(stderr, /^reprise: .+\n$/)
  }
  t.equal(readFileSync(file, 'utf8'), 'precious')
  t.match(await run(dataDir, 'backup', file, '--force'), { code: 0 })

  // A backup is a log like any other: it is the one that was copied.
  const other = path.join(root, 'other')
  await run(other, 'restore', file)
  const [ours, theirs] = await Promise.all([
    run(dataDir, 'history', id, '--json'),
    run(other, 'history', id, '--json'),
  ])
  t.equal(theirs.stdout, ours.stdout)
})

t.test('a damaged log gives no backup, and a damaged backup no folder: exit code 1', async t => {
  const { dataDir } = await givenFolder(t)
  const root = t.testdir({ 'text.db': 'this is no database, and long enough to be read as one' })
  const damaged = spoilt(
    dataDir,
    path.join(root, 'damaged'),
    'log.db',
    "UPDATE events SET payload = '{}' WHERE position = 2",
  )
  const says = /^reprise: .+log\.db is damaged: the event at position 2 does not match its digest\n$/
  t.match(await run(damaged, 'backup', path.join(root, 'backup.db')), { code: 1, stdout: '', stderr: says })
  t.notOk(existsSync(path.join(root, 'backup.db')))

  const bad = path.join(root, 'bad.db')
  copyFileSync(path.join(damaged, 'log.db'), bad)
  const whole = path.join(root, 'whole.db')
  await run(dataDir, 'backup', whole)
  writeFileSync(path.join(root, 'short.db'), readFileSync(whole).subarray(0, 40_000))
  const other = path.join(root, 'other')
  const refusals: [string, number, RegExp][] = [
    [bad, 1, /bad\.db is damaged: the event at position 2 does not match its digest/],
    [path.join(root, 'short.db'), 1, /short\.db is damaged/],
    [path.join(root, 'text.db'), 1, /text\.db is damaged or is no event log: file is not a database/],
    [path.join(dataDir, 'read.db'), 1, /read\.db is damaged or is no event log: no such table: events/],
    [path.join(root, 'none.db'), 2, /the backup .+none\.db does not exist/],
  ]
  for (const [file, exit, says] of refusals) {
    const { code, stdout, stderr } = await run(other, 'restore', file)
    t.same({ code, stdout }, { code: exit, stdout: '' }, file)
    t.match(stderr, says)
    t.match(stderr, /^reprise: .+\n$/)
    t.notOk(existsSync(path.join(other, 'log.db')))
  }
  t.same(
    readdirSync(other).filter(name => name.includes('log')),
    [],
    'nothing half is left',
  )
})

t.test('restore replaces a log with --force alone, and never one that a server holds', async t => {
  const { api, url, dataDir, stop } = await serveHere(t)
  const { id } = await createTask(api, { user_message_content: 'first' })
  const file = path.join(t.testdir(), 'backup.db')
  await run(dataDir, 'backup', file)
  const later = await createTask(api, { user_message_content: 'later' })
  for (const args of [[file], [file, '--force']]) {
    t.same(await run(dataDir, 'restore', ...args), {
      code: 2,
      stdout: '',
      stderr: `reprise: ${dataDir} is in use by the server at ${url}: stop it, or set another DATA_DIR\n`,
    })
  }
  await stop()
  t.match(await run(dataDir, 'restore', file), {
    code: 2,
    stdout: '',
    stderr: /^reprise: .+log\.db exists: choose another DATA_DIR, or add --force to replace it\n$/,
  })
  t.match(await run(dataDir, 'history', later.id), { code: 0 })
  t.match(await run(dataDir, 'restore', file, '--force'), { code: 0 })
  t.match(await run(dataDir, 'history', later.id), { code: 1 })
  const next = await serveHere(t, { DATA_DIR: dataDir })
  t.equal((await getTask(next.api, id)).status, 'completed')
  t.same(next.lines, [])
})

t.test('a signal leaves nothing under the name and nothing beside it', async t => {
  const { api, dataDir, stop } = await serveHere(t)
  const { id } = await play(
    api,
    Array.from({ length: 1500 }, () => ({ message: 'word' })),
  )
  await untilStatus(api, id, 'completed')
  await stop()
  for (const [signal, stopped] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    const root = t.testdir()
    const backup = start(t, ['backup', path.join(root, 'backup.db')], { DATA_DIR: dataDir })
    await until('it has begun', () => readdirSync(root).length > 0)
    backup.signal(signal)
    const { code } = await backup.ended
    // It may have been through by then.
    const expected = code === stopped ? { code, left: [] } : { code: 0, left: ['backup.db'] }
    t.same({ code, left: readdirSync(root) }, expected, signal)
  }
})

t.test('what a backup that was killed has left is gone with the next one', async t => {
  const { dataDir } = await givenFolder(t)
  const root = t.testdir({
    'backup.db.999999999.part': 'half',
    'backup.db.999999999.part-journal': '',
    [`backup.db.${process.pid}.part`]: 'another one at work',
    'other.db.999999999.part': 'of another file',
  })
  t.match(await run(dataDir, 'backup', path.join(root, 'backup.db')), { code: 0 })
  t.same(readdirSync(root).sort(), ['backup.db', `backup.db.${process.pid}.part`, 'other.db.999999999.part'])
})

t.test('what environment sessions have kept is in a backup that is taken while they work', async t => {
  const root = t.testdir()
  const data = path.join(root, 'data')
  const env = { ALLOW_UNSANDBOXED_SHELL: '1' }
  const server = await spawnServer(t, data, env)
  const { create, step } = envCalls(server.api)
  const [shell, sql] = await Promise.all(
    ['workspace', 'sql'].map(async env_id => (await create({ env_id })).body.session_id),
  )
  await step(sql as string, 'execute', { sql: 'CREATE TABLE seen (n)' })
  let isWorking = true
  const stepped = new Map<string | undefined, number>()
  const work = async (id: string | undefined, tool: string, argsOf: (n: number) => object) => {
    for (let n = 0; isWorking; n++) {
      await step(id as string, tool, argsOf(n))
      stepped.set(id, n + 1)
    }
  }
  const bothGoOn = () => {
    const now = new Map(stepped)
    return until('both sessions take steps', () =>
      [shell, sql].every(id => (stepped.get(id) ?? 0) > (now.get(id) ?? 0)),
    )
  }
  const working = Promise.all([
    work(shell, 'shell', n => ({ command: `echo ${n} >> log; head -c 100000 /dev/urandom > noise` })),
    work(sql, 'execute', n => ({ sql: `INSERT INTO seen VALUES (${n})` })),
  ])
  await bothGoOn()
  const file = path.join(root, 'backup.db')
  const taken = await run(data, 'backup', file)
  await bothGoOn()
  isWorking = false
  await working
  t.match(taken, { code: 0, stdout: /, the states of 2 environment sessions, every hash checked/ })
  t.same(readdirSync(root).sort(), ['backup.db', 'backup.db.states', 'data'])
  t.notOk(existsSync(path.join(data, 'backups')), 'and the server may remove old states again')
  await server.end('SIGKILL')

  const other = path.join(root, 'other')
  const refused = await runReprise(['restore', file], { DATA_DIR: other, CHECKPOINT_FILE: root })
  t.match(refused, { code: 2, stderr: /checkpoints/ })
  t.notOk(existsSync(path.join(other, 'environments')), 'a restore that is refused adds no states')
  writeFileSync(path.join(other, 'environments'), 'no folder')
  t.match(await run(other, 'restore', file), { code: 2, stderr: /cannot be copied .*file already exists/ })
  rmSync(path.join(other, 'environments'))
  t.match(await run(other, 'restore', file), { code: 0, stdout: /, the states of 2 environment sessions/ })
  const { api } = await serveHere(t, { DATA_DIR: other, ...env })
  const calls = envCalls(api)
  // A step that ran at that moment is in the log as begun: it counts, and the state is the one before it.
  const stepsDone = async (id: string | undefined) => {
    type Page = { data: { type: string; data: { unknown?: true } }[] }
    const page = (await (await api('GET', `/audit/events?stream=env-${id}&limit=1000`)).json()) as Page
    return page.data.filter(({ type, data }) => type === 'EnvStepCompleted' && data.unknown !== true).length
  }
  const count = await stepsDone(shell)
  t.ok(count > 0)
  const lines = (await calls.step(shell as string, 'shell', { command: 'wc -l < log; tail -n 1 log' })).body
  t.equal(
    lines.tool_result.message_content,
    `${count}\n${count - 1}`,
    'as it was at the moment of the backup',
  )
  const inserted = (await stepsDone(sql)) - 1 // the first one made the table
  const rows = (await calls.step(sql as string, 'query', { sql: 'SELECT count(*) AS n FROM seen' })).body
  t.match(rows.observation, { rows: [{ n: inserted }] })
  await calls.close(shell as string)
  const again = await run(data, 'backup', file, '--force')
  t.match(again, { code: 0 })
  t.same(readdirSync(root).sort(), ['backup.db', 'backup.db.states', 'data', 'other'])
})
