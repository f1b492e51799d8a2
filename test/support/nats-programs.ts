// The nats-servers with which tests run. Usually that is the pinned current one: the one that NATS_SERVER names, or one that
// was built before, or one that Go builds from the module proxy. Where none can be had, it is the one of the system, which
// may be older: then tests say so. Some tests run on further lines of versions, too.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { lookUp, programOf } from './programs.ts'

/** `current`: what the documents recommend. `next`: the line after it. `system`: that of the operating system. */
export type NatsLine = 'current' | 'next' | 'system'
export type NatsProgram = {
  file: string
  /** Such as `2.12.15`. */
  version: string
  /** Whether the server can write each record to disk at once, and is one that nodes accept. */
  isSafe: boolean
}

/** compose.cluster.yaml and docs/cluster.md name the current one, too. */
export const pinned = { current: '2.12.15', next: '2.14.10' }
/** Not in node_modules, which npm ci removes. */
const cache = path.join(
  process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache'),
  'reprise-tests/nats-server',
)
/** The most milliseconds of a build, and between two looks at the build of another test file. */
const [buildMs, lookMs] = [280_000, 200]
/** After a build that failed, tests do not try again for so many milliseconds. */
const againMs = 600_000

const asProgram = (file: string): NatsProgram | undefined => {
  const said = spawnSync(file, ['--version'], { encoding: 'utf8' }).stdout ?? ''
  const [, version, major, minor] = said.match(/v((\d+)\.(\d+)\.\S+)/) ?? []
  if (version === undefined) return undefined
  return { file, version, isSafe: Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 12) }
}

const build = (version: string, file: string): void => {
  const go = lookUp('go', ['/usr/local/go/bin'])
  if (go === undefined) return
  const building = `${path.dirname(file)}.${process.pid}`
  spawnSync(go, ['install', `github.com/nats-io/nats-server/v2@v${version}`], {
    env: { ...process.env, GOBIN: building, GOFLAGS: '-mod=mod', CGO_ENABLED: '0' },
    stdio: 'ignore',
    timeout: buildMs,
  })
  const built = path.join(building, 'nats-server')
  if (existsSync(built)) {
    mkdirSync(path.dirname(file), { recursive: true })
    renameSync(built, file)
  }
  rmSync(building, { recursive: true, force: true })
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Runs `work` while no other process runs it. A process that has died holds nothing. */
const alone = (lock: string, work: () => void): void => {
  for (const end = Date.now() + buildMs; Date.now() < end; ) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' })
    } catch {
      const holder = existsSync(lock) ? Number(readFileSync(lock, 'utf8')) : 0
      if (holder > 0 && !isAlive(holder)) rmSync(lock, { force: true })
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lookMs)
      continue
    }
    try {
      work()
      return
    } finally {
      rmSync(lock, { force: true })
    }
  }
}

const hasFailed = (mark: string): boolean => existsSync(mark) && Date.now() - statSync(mark).mtimeMs < againMs

const builtOf = (version: string): NatsProgram | undefined => {
  const file = path.join(cache, version, 'nats-server')
  const mark = `${path.dirname(file)}.failed`
  if (!existsSync(file) && !hasFailed(mark)) {
    mkdirSync(cache, { recursive: true })
    alone(`${path.dirname(file)}.lock`, () => {
      if (existsSync(file) || hasFailed(mark)) return
      build(version, file)
      if (!existsSync(file)) writeFileSync(mark, '')
    })
  }
  return existsSync(file) ? asProgram(file) : undefined
}

const ofSystem = (): NatsProgram | undefined => {
  const file = programOf('nats-server', { debian: 'nats-server', brew: 'nats-server' })
  return file === undefined ? undefined : asProgram(file)
}

const look = (line: NatsLine): NatsProgram | undefined => {
  if (line === 'system') return ofSystem()
  const named = process.env.NATS_SERVER
  if (line === 'next' || !named) return builtOf(pinned[line])
  const program = asProgram(named)
  if (program === undefined) throw new Error(`NATS_SERVER=${named} is no nats-server`)
  return program
}

const found = new Map<NatsLine, NatsProgram | undefined>()
/** Undefined: there is none of this line, and it could not be built. */
export const natsProgramOf = (line: NatsLine): NatsProgram | undefined => {
  if (!found.has(line)) found.set(line, look(line))
  return found.get(line)
}

/** The server with which tests run that do not ask for a line: the current one, else that of the system. */
export const usualNats = (): NatsProgram | undefined => natsProgramOf('current') ?? natsProgramOf('system')

const toBuild = 'install Go, so that tests can build it, or set NATS_SERVER to its path'
/** False, or the reason for which tests of a line are skipped. */
export const noNatsOf = (line: NatsLine): string | false => {
  const program = natsProgramOf(line)
  if (line === 'system')
    return program === undefined || program.version === usualNats()?.version
      ? 'the system has no nats-server of another version'
      : false
  return program === undefined ? `there is no nats-server ${pinned[line]}: ${toBuild}` : false
}

/**
 * The lines on which a test file runs: the usual one (`line` is absent), and the others. `on`: words for the names of tests.
 * `skip`: false, or the reason for which this line is left out.
 */
export const testedLines = (): { line?: NatsLine; on: string; skip: string | false }[] => [
  { on: ` on ${usualNats()?.version}`, skip: usualNats() === undefined && 'there is no nats-server' },
  ...(['next', 'system'] as const).map(line => ({
    ...{ line, skip: noNatsOf(line) },
    on: ` on ${natsProgramOf(line)?.version ?? (line === 'next' ? pinned.next : 'an older nats-server')}`,
  })),
]

/** What the last lines of a run of all tests say about the server; undefined: tests ran on a current one. */
export const natsRemark = (): string | undefined => {
  const usual = usualNats()
  if (usual === undefined) return `no nats-server: ${toBuild}`
  if (!usual.isSafe)
    return `tests ran on nats-server ${usual.version}, which is older than ${pinned.current}: ${toBuild}`
  const next = natsProgramOf('next')
  return next === undefined ? `no test ran on nats-server ${pinned.next}: ${toBuild}` : undefined
}
