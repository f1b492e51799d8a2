// Child processes, which must not outlive the server. Each process has a process group of its own, and a record: a file
// that identifies the process. So the next start finds and kills processes that a killed server left running.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { readPlainFile } from '../files/plain-file.ts'
import { processGivesWay } from '../threads/give-way.ts'
import { type Child, type Command, createNursery } from './nursery.ts'

export type { Child, Command }

export type Children = {
  /** Resolves when the process runs; rejects with the system's error when it cannot be started. */
  start(command: Command): Promise<Child>
  /** Sends SIGTERM to the group of the process, and SIGKILL after a second. Resolves when the process is gone. */
  end(child: Child): Promise<void>
  /** Ends all processes, and starts no more. */
  close(): Promise<void>
}

/** Milliseconds that a process gets to end after a signal. */
const patienceMs = 1000

/** The time when a process started, as a text (on Linux with the boot id); undefined: there is no such process. */
const startOf = (pid: number): string | undefined => {
  try {
    if (process.platform !== 'linux') {
      return (
        execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined
      )
    }
    // The name of the process may hold any character. After the name comes the state, and 19 fields later the time of
    // the start, in clock ticks since the boot.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined // a zombie has ended
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${fields[19]}`
  } catch {
    return undefined
  }
}

/** Sends a signal to a process and its whole group. Ignores a group that is gone. */
const signalGroup = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(-pid, signal)
  } catch {}
}

/** Removes a record. If that fails, the next start of the server notices that the process of the record is gone. */
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
    // The system reuses process ids. So a process with a recorded id is the recorded process only if it started at the
    // recorded time.
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
  process.on('exit', killAll)

  const record = (child: Child) => {
    const { pid } = child
    const file = path.join(folder, String(pid))
    running.add(child)
    processGivesWay(pid, true) // its start keeps a processor busy
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
