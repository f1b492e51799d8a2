// What the tests of environments have in common: programs in processes of their own, in a world whose timers move when
// they are told to.
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Test } from 'tap'
import type { Instance, OpenObject, StepAnswer } from '../../src/contract/environment.ts'
import { commandOf } from '../../src/environments/command.ts'
import { createEnvironments } from '../../src/environments/environments.ts'
import { createInstance } from '../../src/environments/instance.ts'
import { startProcess } from '../../src/environments/process.ts'
import { openChildren } from '../../src/platform/children/children.ts'
import { createMemoryWatch } from '../../src/platform/programs/memory-watch.ts'
import '../support/built.ts'
import { testWorld } from '../support/world.ts'

export const here = import.meta.dirname

/** For a snapshot of which nothing is left out, while no backup is made. */
export const keeping = { leaveOut: () => {}, keepOld: false }

/** A folder that goes with the test. */
export const folderOf = (t: Test): string => {
  const folder = mkdtempSync(path.join(tmpdir(), 'reprise-env-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

export const until = async (isSo: () => boolean): Promise<void> => {
  for (const end = Date.now() + 60_000; !isSo(); await new Promise(resolve => setTimeout(resolve, 5))) {
    if (Date.now() > end) throw new Error(`not so after 20 s: ${isSo}`)
  }
}

/** The processes that work in a folder or below. */
export const processesIn = (folder: string): string[] =>
  readdirSync('/proc').filter(pid => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)
    } catch {
      return false
    }
  })

/** A process that has ended and that nobody has asked how is none. */
export const isAlive = (pid: string): boolean => {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

export const stepOf = (
  instance: Instance,
  args: OpenObject = {},
  { tool = 'go', number = 1, signal = new AbortController().signal, emit = (_text: string) => {} } = {},
): Promise<StepAnswer> => instance.step({ tool, args, seed: 7, number, now: 1000 }, { emit, signal })
export const resetOf = (instance: Instance) => instance.reset({ seed: 7, options: {}, now: 1000 })

type Given = { kwargs?: OpenObject; env_vars?: Record<string, string> }

/** Programs of this test. When it ends, none may be left that it has closed or seen going. */
export const givenPrograms = async (t: Test, { memoryMb = 256, stepTimeoutMs = 30_000 } = {}) => {
  const folder = folderOf(t)
  const recorded = path.join(folder, 'children')
  const children = await openChildren(recorded)
  t.teardown(children.close)
  const world = testWorld()
  const { timers } = world
  const parts = { children, timers, memory: createMemoryWatch(timers), memoryMb }
  let opened = 0
  const start = (file: string) => startProcess(commandOf(path.join(here, file), memoryMb), parts)
  return {
    world,
    folder,
    start,
    async open(file: string, { kwargs = {}, env_vars = {} }: Given = {}): Promise<Instance> {
      const process = await start(file)
      const [info] = process.hello.classes
      if (info === undefined) throw new Error(`no class in ${file}`)
      const dir = path.join(folder, `instance-${opened++}`)
      mkdirSync(path.join(dir, '.tmp'), { recursive: true })
      return createInstance(process, info, { kwargs, env_vars, dir }, stepTimeoutMs)
    },
    /** Waits until only so many are left, counted by their records, and as many work in the folder. */
    onlyLeft: (number: number) =>
      until(() => readdirSync(recorded).length === number && processesIn(folder).length === number),
  }
}

/** The environments of a folder with these files, whose programs end with the test. */
export const environmentsIn = async (
  t: Test,
  files: Record<string, string> = {},
  byDefault = 'gridworld',
) => {
  const top = folderOf(t)
  const folder = path.join(top, 'modules')
  mkdirSync(folder)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), text)
  }
  const children = await openChildren(path.join(top, 'children'))
  t.teardown(children.close)
  const world = testWorld()
  const { timers } = world
  const settings = { path: folder, byDefault, stepTimeoutMs: 30_000, memoryMb: 512 }
  const memory = createMemoryWatch(timers)
  const environments = createEnvironments({ children, timers, memory }, settings)
  t.teardown(environments.close)
  let opened = 0
  return { ...environments, top, folder, world, instanceDir: () => path.join(top, `instance-${opened++}`) }
}
