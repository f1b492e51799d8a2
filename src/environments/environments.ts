// Wires environments together: finds the kinds, and opens each instance in a process of its own.
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { EnvironmentGone, type EnvironmentSource, type Instance } from '../contract/environment.ts'
import type { Timers } from '../contract/ports.ts'
import type { Children } from '../platform/children/children.ts'
import type { MemoryWatch } from '../platform/programs/memory-watch.ts'
import { commandOf } from './command.ts'
import { handOver, takeBack, takeOver } from './handover.ts'
import { createHellos } from './hellos.ts'
import { createInstance, type Given } from './instance.ts'
import { rootOf } from './modules.ts'
import { createPool } from './pool.ts'
import { type EnvironmentProcess, startProcess } from './process.ts'
import { noProtection, type Protection } from './protection.ts'
import { temporary } from './protocol.ts'
import { createRegistry, type Registry } from './registry.ts'

/** Programs are started in advance only while more than this many bytes of memory are free. */
const leastFree = 512 << 20
const hasRoom = () => process.availableMemory() > leastFree

export type EnvironmentSettings = {
  /** The folder of external modules; undefined: there are none. */
  path: string | undefined
  /** A known name, or `module#Class`. */
  byDefault: string
  /** A call may take at most this many milliseconds, if its class has no limit of its own. */
  stepTimeoutMs: number
  /** All processes of one instance together may have at most this many MiB of resident memory. */
  memoryMb: number
}

export type Environments = Registry & {
  /**
   * Constructs an instance in a process of its own; creates `dir` if it is missing. Rejects with EnvironmentGone if the
   * process ends or exceeds a limit, and with AuthorsError if the constructor throws. In both cases the process has
   * ended.
   */
  open(source: EnvironmentSource, given: Given & { fileBytes?: number | undefined }): Promise<Instance>
  /**
   * Ends the programs that were started in advance. Instances end by their own `close`, or with all child processes.
   */
  close(): void
}

type Deps = {
  children: Pick<Children, 'start' | 'end'>
  timers: Timers
  memory: MemoryWatch
  protection?: Protection
  /** A program with a user id of its own may pass through all folders from this one to the folder that it gets. */
  dataDir?: string
}

export const createEnvironments = (
  { children, timers, memory, protection = noProtection, dataDir = '/' }: Deps,
  { path: folder, byDefault, stepTimeoutMs, memoryMb }: EnvironmentSettings,
): Environments => {
  const start = async (file: string) => {
    const command = commandOf(file, memoryMb, rootOf(folder, file))
    const env = { ...command.env, ...protection.variablesFor(file) }
    const user = protection.userFor(file)
    return startProcess({ ...command, env, user }, { children, timers, memory, memoryMb })
  }
  const pool = createPool({ start, timers, hasRoom })
  const hellos = createHellos({ pool, start, timers })

  /** Makes the instance. Until it is closed, a program with a user id of its own can reach the folder, and owns it. */
  const inFolder = async (dir: string, program: EnvironmentProcess, make: () => Promise<Instance>) => {
    const { user, end } = program
    const { ids } = protection
    const isGiven = user !== undefined && ids !== undefined
    try {
      await (isGiven ? handOver(dir, dataDir, user, ids) : takeOver(dir))
    } catch (error) {
      await end()
      throw error
    }
    if (!isGiven) return make()
    const instance = await make().catch(async error => {
      await takeBack(dir)
      throw error
    })
    const close = async () => {
      await instance.close()
      await takeBack(dir)
    }
    return { ...instance, close }
  }

  return {
    ...createRegistry({ hellos, folder, byDefault, refusalOf: protection.refusalOf }),
    async open({ module: file, className, digest, name }, { fileBytes, ...given }) {
      await mkdir(path.join(given.dir, temporary), { recursive: true, mode: 0o700 })
      const program = await pool.take({ file, digest })
      const info = program.hello.classes.find(one => one.name === className)
      if (info === undefined) {
        await program.end()
        throw new EnvironmentGone(`there is no environment ${name}`)
      }
      if (fileBytes !== undefined) await program.limitFiles(fileBytes)
      return inFolder(given.dir, program, () => createInstance(program, info, given, stepTimeoutMs))
    },
    close: pool.close,
  }
}
