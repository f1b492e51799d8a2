// What can be wrong when a server starts: each trouble breaks something and gives the function that repairs it.
import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import Database from 'better-sqlite3'
import { another } from '../../support/another-user.ts'
import type { As } from '../../support/server.ts'
import { fill, free } from '../../support/small-disk.ts'
import type { Place } from './place.ts'

/** Whole numbers from 0 to below `n`. */
export type Draw = (n: number) => number
/** How the bad start is made. `killAfter`: milliseconds after which it is killed, whether it has started or not. */
export type BadStart = {
  env: Record<string, string | undefined>
  as: As
  kill?: { after: number; signal: 'SIGKILL' | 'SIGTERM' }
}
export type Trouble = {
  name: string
  /** What it breaks. Troubles of the same do not come together; those of the disk take root, who may mount a small one. */
  of?: 'modules' | 'disk'
  /** Breaks something, or changes how the server is started. Returns the function that repairs it. */
  begin(place: Place, start: BadStart, draw: Draw): Promise<() => void | Promise<void>>
}

const succeed = (command: string, ...args: string[]): void => {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`)
}
const nothing = () => {}

const moved = (from: string) => {
  renameSync(from, `${from}.away`)
  return () => {
    rmSync(from, { recursive: true, force: true })
    renameSync(`${from}.away`, from)
  }
}
const variable = (name: string, key: string, value: string | undefined): Trouble => ({
  name,
  async begin(_, { env }) {
    env[key] = value
    return nothing
  },
})

/** The files of the data folder itself that belong to the log, the secrets and the keys: no start can make them again. */
const lasting = ({ data }: Place): string[] =>
  readdirSync(data).filter(
    name => /^(log\.db|secrets\.db|.*key.*)$/.test(name) && statSync(path.join(data, name)).isFile(),
  )
/** Files that a start makes again. */
const derived = ({ data }: Place): string[] =>
  readdirSync(data).filter(
    name => !/^(log|secrets)\.db/.test(name) && !/key/.test(name) && statSync(path.join(data, name)).isFile(),
  )
const pick = <One>(draw: Draw, from: One[]): One | undefined => from[draw(from.length)]

/** Turns over some bytes in the middle of a file. Returns the function that turns back those that still stand there. */
const damage = (file: string, draw: Draw) => {
  const length = 64
  const at = draw(Math.max(1, statSync(file).size - length))
  const turn = (expected?: Buffer): Buffer => {
    const open = openSync(file, 'r+')
    const bytes = Buffer.alloc(length)
    const found = bytes.subarray(0, readSync(open, bytes, 0, length, at))
    const turned = Buffer.from(found.map(byte => byte ^ 0xff))
    if (expected === undefined || found.equals(expected)) writeSync(open, turned, 0, turned.length, at)
    closeSync(open)
    return turned
  }
  const damaged = turn()
  return () => void (existsSync(file) && turn(damaged))
}

/** A shell that sets a limit, and then runs the command after it. */
const limited = (limit: string): string[] => ['sh', '-c', `${limit}; exec "$0" "$@"`]

const held = (name: string, file: string, begin: string): Trouble => ({
  name,
  async begin({ data }) {
    const db = new Database(path.join(data, file), { timeout: 0 })
    db.exec(begin)
    return () => void db.close()
  },
})

export const troubles: Trouble[] = [
  variable('ENV_PATH is not set', 'ENV_PATH', undefined),
  variable('PORT is no number', 'PORT', 'eighty'),
  variable('a limit is no number', 'ENV_MEMORY_MB', 'much'),
  variable('the folder for temporary files is missing', 'TMPDIR', '/nowhere/at/all'),
  {
    name: 'ENV_PATH is not mounted',
    of: 'modules',
    async begin({ envs }) {
      const back = moved(envs)
      mkdirSync(envs)
      return back
    },
  },
  {
    name: 'a library is missing',
    of: 'modules',
    begin: async ({ envs }) => moved(path.join(envs, 'helper.py')),
  },
  {
    name: 'a library fails',
    of: 'modules',
    async begin({ envs }) {
      const back = moved(path.join(envs, 'helper.py'))
      writeFileSync(path.join(envs, 'helper.py'), 'raise RuntimeError("the database is away")\n')
      return back
    },
  },
  {
    name: 'a module was changed',
    of: 'modules',
    async begin({ envs }) {
      const file = path.join(envs, 'snapshot.py')
      const back = moved(file)
      succeed('cp', `${file}.away`, file)
      appendFileSync(file, '# changed\n')
      return back
    },
  },
  {
    name: 'there is no python3',
    async begin({ envs }, { env }) {
      const bin = path.join(envs, '../bin')
      mkdirSync(bin, { recursive: true })
      if (!existsSync(path.join(bin, 'node'))) symlinkSync(process.execPath, path.join(bin, 'node'))
      env.PATH = bin
      return nothing
    },
  },
  {
    name: 'a file of the log, the secrets or the keys is missing',
    async begin(place, _, draw) {
      const file = pick(draw, lasting(place))
      return file === undefined ? nothing : moved(path.join(place.data, file))
    },
  },
  {
    name: 'a file of the log, the secrets or the keys is damaged',
    async begin(place, _, draw) {
      const file = pick(draw, lasting(place))
      return file === undefined ? nothing : damage(path.join(place.data, file), draw)
    },
  },
  {
    name: 'a derived file is damaged',
    async begin(place, _, draw) {
      const file = pick(draw, derived(place))
      if (file !== undefined) damage(path.join(place.data, file), draw)
      return nothing
    },
  },
  {
    name: 'a derived file is missing',
    async begin(place, _, draw) {
      const file = pick(draw, derived(place))
      if (file !== undefined) rmSync(path.join(place.data, file))
      return nothing
    },
  },
  {
    name: 'the folder of the environments is missing',
    begin: async ({ data }) => moved(path.join(data, 'environments')),
  },
  {
    name: 'all files belong to somebody else',
    of: 'disk',
    async begin({ data }, start) {
      Object.assign(start.as, another)
      return () => succeed('chown', '-R', '0:0', data)
    },
  },
  {
    name: 'some files belong to somebody else',
    of: 'disk',
    async begin({ data }, start, draw) {
      Object.assign(start.as, another)
      succeed('chown', '-R', `${another.uid}:${another.gid}`, data)
      const all = readdirSync(data, { recursive: true, encoding: 'utf8' })
      for (let n = 0; n < 3; n++) succeed('chown', '-h', '0:0', path.join(data, pick(draw, all) ?? ''))
      return () => succeed('chown', '-R', '0:0', data)
    },
  },
  {
    name: 'the disk is full',
    of: 'disk',
    async begin({ data }) {
      fill(path.dirname(data))
      return () => free(path.dirname(data))
    },
  },
  {
    name: 'the disk may not be written',
    of: 'disk',
    async begin({ data }) {
      succeed('mount', '-o', 'remount,ro', path.dirname(data))
      return () => succeed('mount', '-o', 'remount,rw', path.dirname(data))
    },
  },
  {
    name: 'few files may be open',
    async begin(_, { as }, draw) {
      as.through = limited(`ulimit -n ${20 + draw(30)}`)
      return nothing
    },
  },
  held(
    'another process has the lock of the folder',
    'lock.db',
    'PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE',
  ),
  held('another process writes to the log', 'log.db', 'BEGIN IMMEDIATE'),
  {
    name: 'the port is taken',
    async begin(_, { env }) {
      const other = createServer().listen(0, '127.0.0.1')
      await new Promise(resolve => other.once('listening', resolve))
      env.PORT = String((other.address() as { port: number }).port)
      return () => new Promise<void>(resolve => void other.close(() => resolve()))
    },
  },
  ...(['SIGKILL', 'SIGTERM'] as const).map(
    (signal): Trouble => ({
      name: `${signal} comes during the start`,
      async begin(_, start, draw) {
        start.kill = { after: draw(1500), signal }
        return nothing
      },
    }),
  ),
]
