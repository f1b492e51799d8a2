// What the tests of the tools share: a workspace with a secret beside it, and calls.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import type { Test } from 'tap'
import type { Timers } from '../../src/contract/ports.ts'
import type { DiskShare, Tool } from '../../src/contract/tools.ts'
import { realWorld } from '../../src/platform/world.ts'
import { builtinTools } from '../../src/tools/builtin.ts'

export type Call = {
  effectId?: string
  env?: Record<string, unknown>
  at?: number
  user?: string
  signal?: AbortSignal
  workdir?: string
  userFolder?: string
  disk?: DiskShare
}
export const at = Date.parse('2026-01-01T00:00:00.000Z')

/** Threads and timers of tools keep no process alive: while a test waits for one, something must. */
export const stayAlive = (t: Test): void => {
  const timer = setInterval(() => {}, 60_000)
  t.teardown(() => clearInterval(timer))
}

/** The text of a file of /proc; empty when the process or thread has ended. */
const procText = (file: string): string => {
  try {
    return readFileSync(`/proc/${file}`, 'utf8')
  } catch {
    return ''
  }
}

/** The process in which the tools of this process run their threads; undefined: there is none. */
export const workshop = (): number | undefined =>
  readdirSync('/proc')
    .filter(pid => /^\d+$/.test(pid))
    .map(Number)
    .find(
      pid =>
        procText(`${pid}/cmdline`).includes('workshop-process') &&
        Number(/^PPid:\s+(\d+)$/m.exec(procText(`${pid}/status`))?.[1]) === process.pid,
    )

/** The number of threads of a process that have the lowest priority, as those have that run the code of a user. */
export const lowThreads = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`).filter(
    thread =>
      procText(`${pid}/task/${thread}/stat`)
        .replace(/^.*\) /s, '')
        .split(' ')[16] === '19',
  ).length

/** Timers that do this instead of waiting: the one for the deadline is asked for when the thread is at work. */
export const timersThat = (act: (job: () => void) => unknown): Timers => {
  const after = (_: number, job: () => void) => {
    act(job)
    return () => {}
  }
  return { after, every: after }
}

/** A disk without a quota. */
export const endless: DiskShare = { take: async () => {}, giveBack() {} }

export const runTool = async (tool: Tool, args: object, call: Call = {}): Promise<string> => {
  const { content } = await tool.run({
    effectId: call.effectId ?? 'effect-1',
    arguments: args as Record<string, unknown>,
    workdir: call.workdir ?? '/nowhere',
    userFolder: call.userFolder ?? '/',
    disk: call.disk ?? endless,
    env: call.env ?? {},
    emit() {},
    at: call.at ?? at,
    user: call.user ?? 'default',
    signal: call.signal ?? new AbortController().signal,
  })
  return content as string
}

const tools = builtinTools(realWorld())
export const toolNamed = (name: string): Tool => {
  const found = tools.find(tool => tool.definition.function.name === name)
  if (found === undefined) throw new Error(`no tool ${name}`)
  return found
}

/** What the tool's failure tells; 'answered' with the answer when it did not fail. */
export const failure = async (answer: Promise<string>): Promise<string> => {
  try {
    return `answered: ${(await answer).slice(0, 1_000)}`
  } catch (error) {
    return (error as Error).message
  }
}

const secret = 'the secret'

/** A folder with `work`, the workspace, and `outside`, where nothing may be read, changed or made. */
export const givenWorkspace = (t: Test) => {
  stayAlive(t)
  const folder = t.testdir({ work: {}, outside: { 'secret.txt': secret, deep: {} } })
  const [work, outside] = [path.join(folder, 'work'), path.join(folder, 'outside')]
  const inside = (...names: string[]) => path.join(work, ...names)
  return {
    folder,
    work,
    outside,
    inside,
    put(name: string, content: string | Buffer) {
      mkdirSync(path.dirname(inside(name)), { recursive: true })
      writeFileSync(inside(name), content)
    },
    got: (name: string) => readFileSync(inside(name), 'utf8'),
    link: (name: string, to: string) => symlinkSync(to, inside(name)),
    fifo: (name: string) => spawnSync('mkfifo', [inside(name)]),
    sparse(name: string, size: number) {
      writeFileSync(inside(name), '')
      truncateSync(inside(name), size)
    },
    async socket(name: string) {
      const server = createServer()
      // A path of a socket is short, so it is made from within.
      const before = process.cwd()
      process.chdir(work)
      await new Promise<void>(resolve => server.listen(name, resolve))
      process.chdir(before)
      t.teardown(() => server.close())
    },
    call: (name: string, args: object, call: Call = {}) =>
      runTool(toolNamed(name), args, { workdir: work, ...call }),
  }
}
export type Workspace = ReturnType<typeof givenWorkspace>
