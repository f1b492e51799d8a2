// Starts with bad surroundings, each followed by a good one: missing mounts, wrong owners, absent programs, full disks,
// damaged files, kills during the start. Whatever the bad start does, nothing that was there before may be gone.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import Database from 'better-sqlite3'
import { lockData } from '../../src/maintenance/folder-lock.ts'
import { envCalls } from '../http/env-calls.ts'
import { another } from '../support/another-user.ts'
import { adminToken, launch, type ServerProcess } from '../support/server.ts'
import { fill, free } from '../support/small-disk.ts'
import { createTask, getTask, play } from './wire.ts'

const bin = path.resolve(import.meta.dirname, '../../bin/reprise.mjs')
const people = { session_id: 'people', env_id: 'sql', env_init_kwargs: { csv: { people: 'name\nAnn\n' } } }
const calm = { DRAIN_SECONDS: '0' }

/** What is different at a bad start. `undo` brings the surroundings back. */
type Bad = {
  env?: Record<string, string>
  as?: { uid: number; gid: number }
  /** A shell command that runs the start, as "$0" with the arguments "$@". */
  through?: string
  undo?: () => void
}
type Given = { disk: string; dataDir: string; port: number; random: () => number }

/** Puts a file or a folder away until the surroundings are good again. */
const away =
  (...names: string[]) =>
  ({ dataDir, disk }: Given): Bad => {
    const there = names.filter(name => existsSync(path.join(dataDir, name)))
    for (const name of there) renameSync(path.join(dataDir, name), path.join(disk, `away-${name}`))
    return {
      undo() {
        for (const name of there) {
          rmSync(path.join(dataDir, name), { recursive: true, force: true })
          renameSync(path.join(disk, `away-${name}`), path.join(dataDir, name))
        }
      },
    }
  }
/** Writes noise into a file, at a random place. */
const damaged =
  (name: string) =>
  ({ dataDir, random }: Given): Bad => {
    const file = path.join(dataDir, name)
    const sound = existsSync(file) ? readFileSync(file) : undefined
    const bytes = Buffer.from(sound ?? 'nothing')
    bytes.fill('noise', Math.floor(random() * bytes.length * 0.9))
    writeFileSync(file, bytes)
    return { undo: () => (sound === undefined ? rmSync(file) : writeFileSync(file, sound)) }
  }
const remounted = (disk: string, how: string) => void spawnSync('mount', ['-o', `remount,${how}`, disk])

/** Every kind of bad surroundings, by name. */
const bads: Record<string, (given: Given) => Bad> = {
  'the log is not mounted': away('log.db', 'log.db-wal', 'log.db-shm'),
  'the log and what knows it are not mounted': away('log.db', 'read.db', 'checkpoints', 'tiles'),
  'the files of sessions are not mounted': away('environments'),
  'the read models are gone': away('read.db', 'read.db-wal', 'read.db-shm'),
  'the log is damaged': damaged('log.db'),
  'the secrets are damaged': damaged('secrets.db'),
  'the lock is damaged': damaged('lock.db'),
  'the read models are damaged': damaged('read.db'),
  'another user': () => ({ as: another }),
  'a full disk': ({ disk }) => {
    fill(disk)
    return { undo: () => free(disk) }
  },
  'a read-only disk': ({ disk }) => {
    remounted(disk, 'ro')
    return { undo: () => remounted(disk, 'rw') }
  },
  'few open files': ({ random }) => ({
    through: `ulimit -n ${20 + Math.floor(random() * 40)}; exec "$0" "$@"`,
  }),
  'a small limit for files': () => ({ through: 'ulimit -f 64; exec "$0" "$@"' }),
  'no programs': () => ({ env: { PATH: '/nonexistent' } }),
  'a folder of environments that is not mounted': () => ({ env: { ENV_PATH: '/nonexistent' } }),
  'a variable that is wrong': () => ({ env: { DRAIN_SECONDS: 'soon' } }),
  'a port in use': ({ port }) => ({ env: { PORT: `${port}` } }),
  'a folder in use': ({ dataDir }) => ({ undo: lockData(dataDir) }),
  'a strict umask': () => ({ through: 'umask 777; exec "$0" "$@"' }),
  'nothing but a kill': () => ({}),
}

/** Starts the server, and kills it after `ms` milliseconds if it runs until then. */
const badStart = async (dataDir: string, { env, as, through }: Bad, ms: number): Promise<void> => {
  const args = [bin, 'serve']
  const command = through === undefined ? process.execPath : '/bin/bash'
  const child = spawn(command, through === undefined ? args : ['-c', through, process.execPath, ...args], {
    ...as,
    cwd: '/',
    env: { PATH: process.env.PATH, PORT: '0', ADMIN_TOKEN: adminToken, DATA_DIR: dataDir, ...calm, ...env },
    stdio: 'ignore',
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), ms)
  await once(child, 'exit')
  clearTimeout(timer)
}

const secretsIn = (dataDir: string): number => {
  const db = new Database(path.join(dataDir, 'secrets.db'), { readonly: true })
  const count = db.prepare('SELECT count(*) FROM secrets').pluck().get() as number
  db.close()
  return count
}

/** Fills a data folder with one of everything. Returns a function that starts the server and says what is missing. */
const filled = async (dataDir: string) => {
  const server = await launch(dataDir, calm)
  const done = await createTask(server.api, { user_message_content: 'hello', client_id: 'echo' })
  const working = await play(server.api, [{ sleep_ms: 3_600_000 }], { env: { KEY: 'value' } })
  await envCalls(server.api).create(people)
  await server.end('SIGTERM')
  const marks = ['environments/default/people', 'workspace/ann', 'rollouts/ann'].map(folder => {
    mkdirSync(path.join(dataDir, folder), { recursive: true })
    const mark = path.join(dataDir, folder, 'mark')
    writeFileSync(mark, folder)
    return mark
  })
  const missingIn = async ({ api }: ServerProcess): Promise<string[]> => {
    const { status: step } = await envCalls(api).step('people', 'query', { sql: 'SELECT * FROM people' })
    const is = {
      'the ended task': (await getTask(api, done.id)).status === 'completed',
      'the working task': (await getTask(api, working.id)).status === 'working',
      'its secret': secretsIn(dataDir) === 1,
      'the session': step === 200,
      'a file': marks.every(mark => existsSync(mark)),
    }
    return Object.entries(is).flatMap(([what, isThere]) => (isThere ? [] : [what]))
  }
  return async (): Promise<string[]> => {
    const server = await launch(dataDir, calm)
    return missingIn(server).finally(() => server.end('SIGTERM'))
  }
}

type Options = {
  disk: string
  rounds: number
  random: () => number
  onRound?: (round: number, problem?: string) => void
}

/** Resolves to what was gone after which bad start, and how often each kind of bad start came. */
export const badStarts = async ({ disk, rounds, random, onRound = () => {} }: Options) => {
  chmodSync(disk, 0o755) // the other user comes as far as to the files
  const dataDir = path.join(disk, 'data')
  const missing = await filled(dataDir)
  const listening = createServer().listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const { port } = listening.address() as { port: number }
  const problems: string[] = []
  const seen: Record<string, number> = {}
  const names = Object.keys(bads)
  // Each kind comes before any kind comes again, in an order of its own.
  let left: string[] = []
  for (let round = 0; round < rounds; round++) {
    if (left.length === 0) left = [...names]
    const [name = ''] = left.splice(Math.floor(random() * left.length), 1)
    seen[name] = (seen[name] ?? 0) + 1
    const ms = Math.floor(200 + random() * 3000)
    const bad = bads[name]?.({ disk, dataDir, port, random }) ?? {}
    await badStart(dataDir, bad, ms)
    bad.undo?.()
    const gone = await missing().catch(error => [String(error)])
    const problem = `round ${round}, ${name}, killed after ${ms} ms: ${gone.join(', ')}`
    if (gone.length > 0) problems.push(problem)
    onRound(round, gone.length > 0 ? problem : undefined)
  }
  listening.close()
  return { problems, seen }
}
