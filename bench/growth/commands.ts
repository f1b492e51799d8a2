// Maintenance and commands of the terminal at several sizes of the log: the processor time of each process.
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { newFolder } from '../support/folder.ts'
import { nodeOptions, startVariables } from '../support/npm-start.ts'
import { runNanosOf } from '../support/process-use.ts'
import { startOurs } from '../support/server.ts'

export type Command = {
  title: string
  depends: string
  /** The cost grows with the number of events; then the costs for each event are compared. */
  perEvent: boolean
  /** What `depends` names is more in a longer log. */
  grows?: true
  /** Resolves to the seconds of processor time. */
  run(given: Given): Promise<number>
}
/** A folder that nobody else uses, with a task and a user in it. */
export type Given = { folder: string; task: string; user: string }

const bin = path.resolve(import.meta.dirname, '../../bin/reprise.mjs')

/** Runs a command to its end. Returns the seconds of processor time of its process, with all threads. */
const processorTime = (folder: string, args: string[]): number => {
  const used = path.join(newFolder('used'), 'seconds')
  const note = `process.on('exit', () => { const { user, system } = process.cpuUsage(); require('node:fs').writeFileSync(${JSON.stringify(used)}, String((user + system) / 1e6)) })`
  const hook = path.join(path.dirname(used), 'hook.cjs')
  writeFileSync(hook, note)
  const { status, stderr } = spawnSync(process.execPath, [...nodeOptions, '--require', hook, bin, ...args], {
    env: { PATH: process.env.PATH, ...startVariables, DATA_DIR: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`reprise ${args.join(' ')}: ${status} ${stderr}`)
  return Number(readFileSync(used, 'utf8'))
}

let made = 0
const newPath = (name: string): string => path.join(newFolder('exported'), `${name}-${++made}`)

const command = (
  title: string,
  depends: string,
  perEvent: boolean,
  args: (given: Given) => string[],
): Command => ({
  title,
  depends,
  perEvent,
  ...(depends.includes('the leaves') ? { grows: true } : {}),
  run: async given => processorTime(given.folder, args(given)),
})

export const commands: Command[] = [
  {
    title: 'start until ready',
    depends: 'unfinished tasks, open environment sessions, cron jobs and webhooks',
    perEvent: false,
    grows: true,
    async run({ folder }) {
      const server = await startOurs(folder, [], { ENV_UID_BASE: '0' })
      const nanos = runNanosOf(server.pid)
      await server.stop()
      return nanos / 1e9
    },
  },
  command('history of a task', 'the events of the task', false, ({ task }) => ['history', task, '--json']),
  command('replay of a task', 'the events of the task', false, ({ task }) => ['replay', task]),
  command(
    'export of a task',
    'the events of the task, and the leaves of the log for the proofs',
    false,
    ({ task }) => ['export', task, '--out', newPath('task')],
  ),
  command(
    'export of a user',
    'the events of the user, and the leaves of the log for the proofs',
    false,
    ({ user }) => ['export', '--user', user, '--out', newPath('user')],
  ),
  command('verify', 'the log', true, () => ['verify']),
  command('replay --all', 'the log', true, () => ['replay', '--all']),
  command('rebuild', 'the log', true, () => ['rebuild']),
  command('backup', 'the log', true, ({ folder }) => ['backup', path.join(folder, 'copy.db'), '--force']),
  {
    title: 'restore',
    depends: 'the log',
    perEvent: true,
    async run({ folder }) {
      const to = newFolder('restored')
      const seconds = processorTime(to, ['restore', path.join(folder, 'copy.db'), '--force'])
      rmSync(to, { recursive: true })
      return seconds
    },
  },
]
