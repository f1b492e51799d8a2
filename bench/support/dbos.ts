// DBOS with a PostgreSQL of its own, as a baseline. Needs the programs of PostgreSQL, and installs DBOS's SDK with npm into the folder of
// the run.
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from '../../src/platform/free-port.ts'
import { newFolder } from './folder.ts'
import { folderWith } from './installed.ts'
import { cpuSecondsBelow } from './process-use.ts'

const version = '5.3.0'
const systemUser = 'postgres'

export type Dbos = {
  /** Runs workflows for so many milliseconds. Resolves to their number. */
  run(ms: number): Promise<number>
  /** CPU seconds of the process with the workflows, and of PostgreSQL. */
  cpu(): number
  stop(): void
}

const programs = (): string | undefined => {
  const debian = '/usr/lib/postgresql'
  const folders = existsSync(debian) ? readdirSync(debian).map(one => path.join(debian, one, 'bin')) : []
  return [...folders, ...(process.env.PATH ?? '').split(':')].find(one =>
    existsSync(path.join(one, 'initdb')),
  )
}

/** Starts both. `atOnce`: workflows at once. Undefined: there is no PostgreSQL on this machine. */
export const startDbos = async (atOnce: number): Promise<Dbos | undefined> => {
  const bin = programs()
  if (bin === undefined) return undefined
  const data = newFolder('postgres')
  const isRoot = process.getuid?.() === 0 // as root, PostgreSQL does not start
  if (isRoot) {
    chmodSync(path.dirname(data), 0o755)
    execFileSync('chown', [systemUser, data])
  }
  const postgres = (program: string, args: string[]) => {
    const command = [path.join(bin, program), '-D', path.join(data, 'data'), ...args]
    const [first = '', ...rest] = isRoot ? ['runuser', '-u', systemUser, '--', ...command] : command
    execFileSync(first, rest, { cwd: data, stdio: 'ignore' })
  }
  const port = await freePort()
  postgres('initdb', ['-A', 'trust', '-U', 'bench'])
  const options = `-p ${port} -k ${data} -c listen_addresses=127.0.0.1`
  postgres('pg_ctl', ['-w', '-o', options, '-l', path.join(data, 'log'), 'start'])
  const stopPostgres = () => postgres('pg_ctl', ['-m', 'immediate', 'stop'])
  process.once('exit', stopPostgres)
  const server = Number(readFileSync(path.join(data, 'data/postmaster.pid'), 'utf8').split('\n', 1)[0])

  const folder = folderWith('dbos', [`@dbos-inc/dbos-sdk@${version}`], ['dbos-steps.mjs', 'twenty-steps.ts'])
  const child = spawn(process.execPath, ['--no-warnings', path.join(folder, 'dbos-steps.mjs')], {
    env: {
      PATH: process.env.PATH,
      DBOS_URL: `postgresql://bench@127.0.0.1:${port}/dbos`,
      AT_ONCE: `${atOnce}`,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  process.once('exit', () => child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => {
    const { value, done } = await lines.next()
    if (done) throw new Error('DBOS has ended')
    return value
  }
  await next()
  return {
    async run(ms) {
      child.stdin.write(`${ms}\n`)
      return Number(await next())
    },
    cpu: () => cpuSecondsBelow(child.pid ?? 0) + cpuSecondsBelow(server),
    stop() {
      child.kill('SIGKILL')
      process.off('exit', stopPostgres)
      stopPostgres()
    },
  }
}
