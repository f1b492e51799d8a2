// Environments put together: which there are, and an instance of one in a process of its own.
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { Children } from '../children.ts'
import { EnvironmentGone, type EnvironmentSource, type Instance } from '../contract/environment.ts'
import type { Timers } from '../contract/ports.ts'
import { commandOf } from './command.ts'
import { createHellos } from './hellos.ts'
import { createInstance, type Given } from './instance.ts'
import { createMemoryWatch } from './memory.ts'
import { createPool } from './pool.ts'
import { startProcess } from './process.ts'
import { temporary } from './protocol.ts'
import { createRegistry, type Registry } from './registry.ts'

/** With less memory free, no program is kept that nobody has asked for. */
const leastFree = 512 << 20
const hasRoom = () => process.availableMemory() > leastFree

export type EnvironmentSettings = {
  /** The folder of external modules; undefined: none. */
  path: string | undefined
  /** A known name, or `module#Class`. */
  byDefault: string
  /** How long a call may take; a class may have its own limit. */
  stepTimeoutMs: number
  /** Resident memory of all processes of one instance together. */
  memoryMb: number
}

export type Environments = Registry & {
  /**
   * Constructs an instance in a process of its own; `dir` is made when it is missing. Rejects with EnvironmentGone
   * when the process ends or breaks a limit, with AuthorsError when the constructor throws. Nothing is left then.
   */
  open(source: EnvironmentSource, given: Given): Promise<Instance>
  /** Lets go what is kept ready. Instances are ended by their own `close`, and with all children. */
  close(): void
}

type Parts = { children: Pick<Children, 'start' | 'end'>; timers: Timers }

export const createEnvironments = (
  { children, timers }: Parts,
  { path: folder, byDefault, stepTimeoutMs, memoryMb }: EnvironmentSettings,
): Environments => {
  const memory = createMemoryWatch(timers)
  const start = (file: string) =>
    startProcess(commandOf(file, memoryMb), { children, timers, memory, memoryMb })
  const pool = createPool({ start, timers, hasRoom })
  const hellos = createHellos({ pool, start, timers })

  return {
    ...createRegistry({ hellos, folder, byDefault }),
    async open({ module: file, className, digest, name }, given) {
      await mkdir(path.join(given.dir, temporary), { recursive: true, mode: 0o700 })
      const program = await pool.take({ file, digest })
      const info = program.hello.classes.find(one => one.name === className)
      if (info === undefined) {
        await program.end()
        throw new EnvironmentGone(`there is no environment ${name}`)
      }
      return createInstance(program, info, given, stepTimeoutMs)
    },
    close: pool.close,
  }
}
