// A start that cannot be: one line on stderr that names the way out, an exit code, and nothing else.

import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import Database from 'better-sqlite3'
import t from 'tap'
import { readConfig } from '../../src/config.ts'
import { CannotStart } from '../../src/contract/cannot-start.ts'
import { startServer } from '../../src/start/server.ts'
import { adminToken, apiOf, refusedStart, runReprise, spawnServer } from '../support/server.ts'
import { createTask, getTask } from './wire.ts'

t.jobs = 2

const listening = (port = 0) =>
  new Promise<{ server: Server; port: number }>((resolve, reject) => {
    const server = createServer().on('error', reject)
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      resolve({ server, port: typeof address === 'object' ? (address?.port ?? 0) : 0 })
    })
  })

/** Why a server does not start here; undefined when it does. */
const refusalOf = async (env: Record<string, string>): Promise<string | undefined> => {
  try {
    const config = readConfig({ PORT: '0', ADMIN_TOKEN: adminToken, DRAIN_SECONDS: '0', ...env })
    await (await startServer(config, () => {})).stop()
    return undefined
  } catch (error) {
    return error instanceof CannotStart ? error.message : `not a CannotStart: ${(error as Error).stack}`
  }
}

t.test('a taken port is named, with a free way, before anything else is touched', async t => {
  const { server, port } = await listening()
  t.teardown(() => server.close())
  const dataDir = path.join(t.testdir(), 'new')
  t.same(await refusedStart(dataDir, { PORT: `${port}` }), {
    code: 2,
    stdout: '',
    stderr: `reprise: port ${port} is in use: choose another port, for example PORT=${port + 1} npm start\n`,
  })
  t.notOk(existsSync(dataDir), 'no data folder was made')
})

t.test('the way out of the last port is a port', async t => {
  const { server } = await listening(65535)
  t.teardown(() => server.close())
  const suggested = (await refusalOf({ DATA_DIR: t.testdir(), PORT: '65535' }))?.match(/PORT=(\d+) npm/)?.[1]
  t.ok(Number(suggested) <= 65535, `PORT=${suggested}`)
})

t.test('a taken data folder is named, with the server that holds it', async t => {
  const dataDir = t.testdir()
  const holder = await spawnServer(t, dataDir)
  t.same(await refusedStart(dataDir), {
    code: 2,
    stdout: '',
    stderr: `reprise: ${dataDir} is in use by the server at ${holder.url}: stop it, or set another DATA_DIR\n`,
  })
  const { id } = await createTask(holder.api, { user_message_content: 'fine', client_id: 'echo' })
  t.equal((await getTask(holder.api, id)).status, 'completed', 'the holder does not mind')
  await holder.end('SIGKILL')
  t.equal(await refusalOf({ DATA_DIR: dataDir }), undefined, 'a kill frees the folder')
})

t.test('a bad variable is one line that names it', async t => {
  t.same(await refusedStart(t.testdir(), { DRAIN_SECONDS: 'soon' }), {
    code: 2,
    stdout: '',
    stderr: 'reprise: DRAIN_SECONDS=soon is not a whole number from 0 to 3600\n',
  })
  const agentsIn = (n: number, ...files: string[]): string => {
    const folder = mkdtempSync(path.join(tmpdir(), `agents-${n}-`))
    t.teardown(() => rmSync(folder, { recursive: true }))
    for (const file of files) writeFileSync(path.join(folder, file), '')
    return folder
  }
  const bad: Record<string, string[]> = {
    PORT: ['abc', '-1', '65536', '1.5', '0x50', '1e3', ' '],
    MAX_RUNNING_TASKS: ['few', '-1', '99999999999999999999'],
    BODY_LIMIT: ['0', '1MB', '-5'],
    DRAIN_SECONDS: ['3601', '8s'],
    LOG_LEVEL: ['loud', 'WARN'],
    MODEL_BASE_URL: ['http://127.0.0.1:1/v1', 'ftp://models', 'models'],
    MODEL: ['alone'],
    MODEL_DIALECT: ['latin'],
    MODEL_SWITCHES: ['usage=maybe', 'colour=red', 'usage'],
    TASK_TTL_CREATED: ['never'],
    TASK_TTL_QUEUED: ['-1'],
    TASK_TTL_WORKING: ['1h'],
    TASK_TTL_PAUSED: ['0.5'],
    TASK_TTL_INPUT_REQUIRED: ['9999999999999'],
    HOST: ['203.0.113.7', 'no such host'],
    WORKSPACE_ROOT: ['/dev/null', '/dev/null/below'],
    ENV_PATH: ['/dev/null', path.join(t.testdirName, 'not-there')],
    AGENT_PATH: [
      '/dev/null',
      path.join(t.testdirName, 'not-there'),
      ...['Upper.mjs', 'echo.py', 'model.ts', '1st.js'].map((file, n) => agentsIn(n, file)),
      agentsIn(9, 'twice.mjs', 'twice.py'),
    ],
    AGENT_MEMORY_MB: ['0', 'much'],
    AGENT_STALL_MS: ['0', '1s'],
    DATA_DIR: [path.join(t.testdir({ file: '' }), 'file/folder')],
  }
  for (const [name, values] of Object.entries(bad)) {
    for (const value of values) {
      const refusal = await refusalOf({ DATA_DIR: path.join(t.testdirName, 'data'), [name]: value })
      t.ok(refusal?.startsWith(`${name}=${value} `), `${name}=${value}: ${refusal}`)
      t.notMatch(refusal, /\n/)
    }
  }
})

t.test('a log that is damaged, foreign or newer is refused and left as it is', async t => {
  const dataDir = t.testdir()
  const file = path.join(dataDir, 'log.db')
  t.equal(await refusalOf({ DATA_DIR: dataDir }), undefined)
  const config = readConfig({ PORT: '0', ADMIN_TOKEN: adminToken, DATA_DIR: dataDir })
  const server = await startServer(config, () => {})
  for (let n = 0; n < 20; n++) {
    await fetch(`${server.url}/v1/tasks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ user_message_content: `marked text ${n}`, stream: false, client_id: 'echo' }),
    })
  }
  await server.stop()
  const sound = path.join(dataDir, 'sound.db')
  copyFileSync(file, sound)

  const damages: Record<string, { make: () => void; says: RegExp }> = {
    'a changed payload': {
      make: () => {
        const bytes = readFileSync(file)
        bytes.write('MARKED', bytes.lastIndexOf('marked text 19'))
        writeFileSync(file, bytes)
      },
      says: /log\.db is damaged at position \d+: restore it from a backup$/,
    },
    'a file cut short': {
      make: () => truncateSync(file, 20_000),
      says: /log\.db is damaged .*: restore it from a backup$/,
    },
    'a file of something else': {
      make: () => writeFileSync(file, 'this was never a database'.repeat(100)),
      says: /log\.db is damaged or is no event log .*: restore it from a backup$/,
    },
    'a database of something else': {
      make: () => {
        writeFileSync(file, '')
        const db = new Database(file)
        db.exec('CREATE TABLE songs (title TEXT)')
        db.close()
      },
      says: /log\.db is no event log of Reprise: choose another DATA_DIR$/,
    },
    'a log of another build': {
      make: () => {
        const db = new Database(file)
        db.pragma('user_version = 99')
        db.close()
      },
      says: /log\.db has the tables of another build of reprise \(version 99 in place of \d+\): run that build, or choose another DATA_DIR$/,
    },
  }
  for (const [what, { make, says }] of Object.entries(damages)) {
    copyFileSync(sound, file)
    make()
    const damaged = readFileSync(file)
    const refusal = await refusalOf({ DATA_DIR: dataDir })
    t.match(refusal, says, what)
    t.notMatch(refusal, /\n/)
    t.ok(damaged.equals(readFileSync(file)), 'the file is as it was')
  }
  const { code, stdout, stderr } = await refusedStart(dataDir)
  t.match({ code, stdout }, { code: 2, stdout: '' })
  t.match(stderr, /^reprise: .*version 99 in place of \d+\): run that build, or choose another DATA_DIR\n$/)

  copyFileSync(sound, file)
  t.equal(await refusalOf({ DATA_DIR: dataDir }), undefined, 'once it is repaired, it starts')
})

t.test('a log that is gone is not begun anew beside what was made of it', async t => {
  const dataDir = t.testdir()
  t.equal(await refusalOf({ DATA_DIR: dataDir }), undefined)
  const config = readConfig({ PORT: '0', ADMIN_TOKEN: adminToken, DATA_DIR: dataDir })
  const server = await startServer(config, () => {})
  await createTask(apiOf(server.url), { user_message_content: 'kept', client_id: 'echo' })
  await server.stop()
  const file = path.join(dataDir, 'log.db')
  const log = readFileSync(file)
  for (const content of [undefined, '']) {
    rmSync(file)
    if (content !== undefined) writeFileSync(file, content)
    t.match(
      await refusalOf({ DATA_DIR: dataDir }),
      /log\.db is missing, but read\.db says that it had \d+ events: restore/,
    )
    writeFileSync(file, log)
  }
  t.equal(await refusalOf({ DATA_DIR: dataDir }), undefined, 'with the log it starts')
  for (const name of ['log.db', 'read.db']) rmSync(path.join(dataDir, name))
  t.match(
    await refusalOf({ DATA_DIR: dataDir }),
    /log\.db is missing, but checkpoints says that it had \d+ events: restore/,
    'the checkpoints beside it know it, too',
  )
  for (const name of readdirSync(dataDir)) rmSync(path.join(dataDir, name), { recursive: true })
  t.equal(await refusalOf({ DATA_DIR: dataDir }), undefined, 'without all of them it begins')
})

t.test('a log that became shorter between two commits is refused until somebody accepts it', async t => {
  const dataDir = t.testdir({ data: {}, other: {} })
  const [data, other] = [path.join(dataDir, 'data'), path.join(dataDir, 'other')]
  const file = path.join(data, 'log.db')
  const first = await spawnServer(t, data)
  const hello = { user_message_content: 'kept', client_id: 'echo' }
  const kept = await createTask(first.api, hello)
  await first.end('SIGTERM')
  const backup = path.join(dataDir, 'monday.db')
  t.match(await runReprise(['backup', backup], { DATA_DIR: data }), { code: 0 })
  const second = await spawnServer(t, data)
  const lost = await createTask(second.api, hello)
  await second.api('GET', '/tasks') // by then the read models know it
  await second.end('SIGKILL')
  const saved = path.join(dataDir, 'saved')
  cpSync(data, saved, { recursive: true })
  rmSync(`${file}-wal`)

  const { code, stdout, stderr } = await refusedStart(data)
  t.match({ code, stdout }, { code: 2, stdout: '' })
  t.match(
    stderr,
    /^reprise: .*log\.db has 8 events, and read\.db knows 15: .*reprise restore FILE --force.*reprise serve --accept-loss\)\n$/,
  )
  t.match(
    await runReprise(['token', 'create', '--role', 'user'], { DATA_DIR: data, ADMIN_TOKEN: adminToken }),
    { code: 2 },
  )

  const resumed = await spawnServer(t, data, {}, ['--accept-loss'])
  t.match(resumed.stderr(), /"level":"warn","message":"the log goes on from 8: events up to 15 were lost/)
  t.equal((await getTask(resumed.api, kept.id)).status, 'completed')
  t.equal((await resumed.api('GET', `/tasks/${lost.id}`)).status, 404)
  const audited = (await (await resumed.api('GET', '/audit/events?stream=log')).json()) as {
    data: object[]
  }
  t.match(audited.data, [
    {
      position: 9,
      stream: 'log',
      type: 'LogResumed',
      principal: 'system',
      data: { old_head: 15, reason: 'loss_accepted' },
    },
  ])
  const events = await fetch(`${resumed.url}/api/events?starting_after=8`, {
    headers: { authorization: `Bearer ${adminToken}` },
    signal: AbortSignal.timeout(300),
  })
    .then(answer => answer.text())
    .catch(() => '')
  t.notMatch(events, /LogResumed/)
  t.same(await resumed.end('SIGTERM'), [0, null])
  t.match(await runReprise(['replay', '--all'], { DATA_DIR: data }), { code: 0 })
  await (await spawnServer(t, data)).end('SIGTERM') // once is enough

  t.match(await runReprise(['restore', backup, '--force'], { DATA_DIR: saved }), { code: 0 })
  t.match(await runReprise(['restore', backup], { DATA_DIR: other }), { code: 0 })
  for (const [folder, old_head] of [
    [saved, 15],
    [other, null],
  ] as const) {
    t.match(await runReprise(['replay', '--all'], { DATA_DIR: folder }), { code: 0 })
    const next = await spawnServer(t, folder)
    const audited = (await (await next.api('GET', '/audit/events?stream=log')).json()) as { data: object[] }
    t.match(audited.data, [{ position: 9, data: { old_head, reason: 'restored' } }])
    await next.end('SIGTERM')
  }
})

t.test('what NATS or a collector was told counts as known, too, when it is of this log', async t => {
  const dataDir = t.testdir()
  t.equal(await refusalOf({ DATA_DIR: dataDir }), undefined)
  const db = new Database(path.join(dataDir, 'log.db'), { readonly: true })
  const log = db.prepare("SELECT value FROM facts WHERE key = 'log_id'").pluck().get()
  db.close()
  for (const name of ['nats.json', 'otel.json']) {
    const file = path.join(dataDir, name)
    writeFileSync(file, JSON.stringify({ log: 'log_of_others', position: 99, leaf: 'x' }))
    t.equal(await refusalOf({ DATA_DIR: dataDir }), undefined)
    writeFileSync(file, JSON.stringify({ log, position: 99, leaf: 'x' }))
    t.match(await refusalOf({ DATA_DIR: dataDir }), new RegExp(`has 1 events, and ${name} knows 99: `))
    rmSync(file)
  }
})

t.test('a folder or a text in the place of a file is one line, and the process ends', async t => {
  for (const name of ['log.db', 'read.db', 'secrets.db', 'lock.db', 'server.json', 'admin-token']) {
    const dataDir = t.testdir({ [name]: { inside: '' } })
    const { code, stdout, stderr } = await refusedStart(dataDir, { ADMIN_TOKEN: '' })
    t.match({ code, stdout }, { code: 2, stdout: '' }, name)
    t.match(stderr, new RegExp(`^reprise: .*${name.replace('.', '\\.')}.*\n$`))
    t.ok(existsSync(path.join(dataDir, name, 'inside')), 'nothing of it is removed')
  }
  for (const content of ['two\nlines of a text', 'rp_short', '\u0000'.repeat(50)]) {
    const { code, stderr } = await refusedStart(t.testdir({ 'admin-token': content }), { ADMIN_TOKEN: '' })
    t.equal(code, 2)
    t.match(stderr, /^reprise: .*admin-token holds no token: remove it, and a new one is made\n$/)
  }
})

t.test('what is no file in the place of one is named, and nobody waits for it', async t => {
  const makers: Record<string, (place: string) => void> = {
    FIFO: place => execFileSync('mkfifo', [place]),
    'link that leads nowhere': place => symlinkSync(place, place),
    device: place => symlinkSync('/dev/null', place),
  }
  const files = ['log.db', 'log.db-wal', 'log.db-shm', 'read.db', 'read.db-wal', 'secrets.db', 'lock.db']
  const texts = ['server.json', 'admin-token', 'otel.json', 'nats.json']
  for (const name of [...files, ...texts]) {
    for (const [what, make] of Object.entries(makers)) {
      const dataDir = t.testdir({})
      make(path.join(dataDir, name))
      const wayOut = what.startsWith('link')
        ? 'mount the volume that it leads to, or move it away'
        : 'move it away'
      const says = new RegExp(`/${name.replace('.', '\\.')} is a ${what}, and must be a file: ${wayOut}`)
      t.match(await refusalOf({ DATA_DIR: dataDir, ADMIN_TOKEN: '' }), says)
    }
  }
  for (const name of ['environments', 'children', 'rollouts', 'logs']) {
    const refusal = await refusalOf({ DATA_DIR: t.testdir({ [name]: 'a text' }) })
    t.match(refusal, new RegExp(`/${name} is a file, and must be a folder: move it away$`))
  }
  const dataDir = t.testdir({ 'server.json': '5', children: { 2: '' } })
  execFileSync('mkfifo', [path.join(dataDir, 'children/77')])
  t.equal(await refusalOf({ DATA_DIR: dataDir }), undefined, 'records that say nothing are no hindrance')
})

t.test('commands that read a log do not wait for a FIFO in its place', async t => {
  const dataDir = t.testdir({})
  const file = path.join(dataDir, 'log.db')
  execFileSync('mkfifo', [file])
  for (const args of [
    ['history', 'x'],
    ['backup', path.join(dataDir, 'b.db')],
    ['restore', file],
  ]) {
    const env = { DATA_DIR: args[0] === 'restore' ? path.join(dataDir, 'other') : dataDir }
    t.match(await runReprise(args, env), {
      code: 2,
      stderr: /^reprise: .*log\.db is a FIFO, .*move it away.*\n$/,
    })
  }
})

t.test('a data folder where none can be made is one line', { skip: !existsSync('/proc/self') }, async t => {
  const { code, stderr } = await refusedStart('/proc/no/such')
  t.equal(code, 2)
  t.match(stderr, /^reprise: DATA_DIR=\/proc\/no\/such cannot be used: .+\n$/)
})

t.test('a damaged secrets.db or lock.db is one line, too', async t => {
  for (const name of ['secrets.db', 'lock.db']) {
    const dataDir = t.testdir()
    t.equal(await refusalOf({ DATA_DIR: dataDir }), undefined, 'it makes a log')
    writeFileSync(path.join(dataDir, name), 'this was never a database'.repeat(100))
    const { code, stdout, stderr } = await refusedStart(dataDir)
    t.match({ code, stdout }, { code: 2, stdout: '' }, name)
    t.match(stderr, new RegExp(`^reprise: .*${name}.*\n$`))
  }
})
