// What keeps the log from being written while its files open and read well. /readyz says `not ready` from the first
// failure until a commit would succeed again, and two lines tell the operator: when it begins, and when it is over.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { realpathSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { type ServerProcess, spawnServer } from '../support/server.ts'
import { fill, free, noMount, smallDisk } from '../support/small-disk.ts'
import { flawsOf } from './stored-log.ts'
import { createTask, getTask, sleep, until } from './wire.ts'

t.jobs = 3

const hello = { user_message_content: 'hello', stream: false, client_id: 'echo' }

/** Ends what keeps the log from being written. */
type End = () => unknown
type Trouble = (t: Test, server: ServerProcess, dataDir: string) => Promise<End>

/** Another process opens the log and runs a statement. It ends its transaction when it is told to. */
const locksWith =
  (statement: string): Trouble =>
  async (t, _server, dataDir) => {
    const script = `const db = new (require('better-sqlite3'))(process.argv[1])
      db.exec(${JSON.stringify(statement)}); console.log('locked')
      process.stdin.on('data', () => { db.exec('COMMIT'); process.exit() })`
    const holder = spawn(process.execPath, ['-e', script, path.join(dataDir, 'log.db')])
    t.teardown(() => holder.kill('SIGKILL'))
    await once(holder.stdout, 'data')
    return async () => {
      holder.stdin.write('end\n')
      await once(holder, 'exit')
    }
  }

/** System calls of the server fail for the files of the log. */
const failing =
  (calls: string, error: string): Trouble =>
  async (t, { pid }, dataDir) => {
    const log = path.join(realpathSync(dataDir), 'log.db')
    const fault = ['-e', `trace=${calls}`, '-e', `inject=${calls}:error=${error}`]
    const strace = spawn('strace', ['-f', '-P', log, '-P', `${log}-wal`, ...fault, '-p', String(pid)], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    strace.stderr.on('data', chunk => (said += chunk))
    t.teardown(() => strace.kill('SIGKILL'))
    await until('strace is attached', () => said.includes('attached') || strace.exitCode !== null)
    return async () => {
      strace.kill('SIGINT')
      await once(strace, 'close')
    }
  }

const fullDisk: Trouble = async (_t, _server, dataDir) => {
  fill(dataDir)
  return () => free(dataDir)
}

const canStrace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0
const noStrace = canStrace ? false : 'strace is not there or may not trace'
const troubles: [string, Trouble, string | false][] = [
  ['a shell of the operator holds BEGIN IMMEDIATE', locksWith('BEGIN IMMEDIATE'), false],
  ['a backup script holds the file for itself', locksWith('BEGIN EXCLUSIVE'), false],
  ['the disk is full', fullDisk, false],
  ['the disk cannot sync', failing('fdatasync,fsync', 'EIO'), noStrace],
  ['the file system has become read-only', failing('pwrite64,ftruncate', 'EROFS'), noStrace],
  ['the quota of the user is used up', failing('pwrite64', 'EDQUOT'), noStrace],
]

const isReady = async ({ url }: ServerProcess): Promise<boolean> =>
  (await fetch(`${url}/readyz`)).status === 200
const countIn = (text: string, what: string): number => text.split(what).length - 1

for (const [what, begin, skip] of troubles) {
  t.test(`${what}: not ready until it is over, and two lines, twice`, { skip }, async t => {
    const dataDir = begin === fullDisk ? smallDisk(t, 24) : t.testdir()
    if (dataDir === undefined) return void t.pass(noMount, { skip: noMount })
    const server = await spawnServer(t, dataDir)
    const { api } = server
    const known = await createTask(api, hello)
    for (const time of [1, 2]) {
      const end = await begin(t, server, dataDir)
      const create = () => api('POST', '/tasks', hello)
      await until('a create is refused', async () => (await create()).status === 503)
      t.notOk(await isReady(server), 'it is not ready')
      // By itself it tries again each second. A create tries again, too.
      void create()
      for (const stop = performance.now() + 4000; performance.now() < stop; await sleep(50)) {
        if (await isReady(server)) throw new Error(`it says that it is ready although ${what}`)
      }
      t.same(await getTask(api, known.id), known, 'reads go on')
      const [begins, ends] = ['the event log cannot be written', 'the event log can be written again']
      t.equal(countIn(server.stderr(), begins), time, server.stderr())
      t.equal(countIn(server.stderr(), ends), time - 1)
      await end()
      await until('it is ready', () => isReady(server))
      t.equal((await createTask(api, hello)).status, 'completed')
      t.equal(countIn(server.stderr(), begins), time)
      t.equal(countIn(server.stderr(), ends), time)
    }
    t.same(await server.end('SIGTERM'), [0, null])
    t.same(flawsOf(dataDir), [])
  })
}

t.test('a lock that is held for less than five seconds is waited for, and nobody is refused', async t => {
  const dataDir = t.testdir()
  const server = await spawnServer(t, dataDir)
  const end = await locksWith('BEGIN IMMEDIATE')(t, server, dataDir)
  const create = createTask(server.api, hello)
  await sleep(1000)
  await end()
  t.equal((await create).status, 'completed')
  t.equal(server.stderr(), '')
})
