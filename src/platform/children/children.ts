// Child processes, which must not outlive the server. Each has a process group of its own and a file that names it, so
// the next start finds and kills the processes of a killed server.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { processGivesWay } from '../give-way.ts'
import { readPlainFile } from '../plain-file.ts'
import { type Child, type Command, createNursery } from './nursery.ts'

export type { Child, Command }

export type Children = {
  /** Resolves when the process runs; rejects with the system's error when it cannot be started. */
  start(command: Command): Promise<Child>
  /** SIGTERM to the group, SIGKILL after a second; resolves when the process is gone. */
  end(child: Child): Promise<void>
  /** Ends all of them, and starts no more. */
  close(): Promise<void>
}

const patienceMs = 1000

/** The start of a process as a text that no other process ever has; undefined when there is no such process. */
const startOf = (pid: number): string | undefined => {
  try {
    if (process.platform !== 'linux') {
      return (
        execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined
      )
    }
    // After the name, which may hold any character: the state, and 19 fields later the start in ticks since the boot.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined // a zombie: it has ended
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${fields[19]}`
  } catch {
    return undefined
  }
}

/** Signals a whole group. A group that is gone needs no signal. */
const signalGroup = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(-pid, signal)
  } catch {}
}

/** Removes a record. If that fails, the next start sees that its process is gone. */
const forget = (file: string): void => {
  try {
    rmSync(file, { force: true })
  } catch {}
}

/** The text of a record; empty when the file is not a record. */
const recordIn = (file: string): string => {
  try {
    return readPlainFile(file)
  } catch {
    return ''
  }
}

/** Kills the processes that an earlier server process left running, and removes their records. */
const killLeftBehind = async (folder: string): Promise<number> => {
  let killed = 0
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name)
    const pid = Number(name)
    const start = recordIn(file)
    // Pids are reused. The recorded process is the one whose start is the same.
    if (Number.isSafeInteger(pid) && pid > 1 && start !== '' && startOf(pid) === start) {
      signalGroup(pid, 'SIGKILL')
      killed++
      for (const end = Date.now() + patienceMs; startOf(pid) === start && Date.now() < end; ) {
        await new Promise(resolve => setTimeout(resolve, 5))
      }
    }
    forget(file)
  }
  return killed
}

/** `killed`: the number of processes of an earlier server process that were still running. */
export const openChildren = async (folder: string): Promise<Children & { killed: number }> => {
  const killed = existsSync(folder) ? await killLeftBehind(folder) : 0
  const running = new Set<Child>()
  const nursery = createNursery()
  let closed = false
  const killAll = () => {
    for (const { pid } of running) signalGroup(pid, 'SIGKILL')
  }
  process.on('exit', killAll) // at each end of this process that still runs handlers

  const record = (child: Child) => {
    const { pid } = child
    const file = path.join(folder, String(pid))
    running.add(child)
    processGivesWay(pid)
    child.once('exit', () => {
      signalGroup(pid, 'SIGKILL') // this also kills the processes that it has started itself
      running.delete(child)
      forget(file)
    })
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      writeFileSync(file, startOf(pid) ?? '', { mode: 0o600 })
    } catch (error) {
      signalGroup(pid, 'SIGKILL') // a process must not run without its record
      throw error
    }
  }

  const end = async (child: Child): Promise<void> => {
    const { pid } = child
    if (!running.has(child)) return
    const exited = once(child, 'exit')
    signalGroup(pid, 'SIGTERM')
    const timer = setTimeout(() => signalGroup(pid, 'SIGKILL'), patienceMs)
    await exited
    clearTimeout(timer)
  }

  return {
    killed,
    async start(command) {
      const refuse = () => {
        if (closed) throw new Error('the server is shutting down')
      }
      refuse()
      const child = await nursery.start(command)
      record(child)
      if (closed) await end(child)
      refuse()
      return child
    },
    end,
    async close() {
      closed = true
      await Promise.all([...running].map(end))
      nursery.close()
      process.off('exit', killAll)
    },
  }
}
