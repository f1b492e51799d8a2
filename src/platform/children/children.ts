// Child processes, which must not outlive the server: each has a process group of its own and a file that names
// it, so that the next start finds and kills what a killed server left behind.
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

/** When a process started, told so that no other process ever has the same; undefined when there is none. */
const startOf = (pid: number): string | undefined => {
  try {
    if (process.platform !== 'linux') {
      return (
        execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined
      )
    }
    // After the name, which may hold anything: the state, and 19 fields on the start in ticks since the boot.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined // ended, and nobody has asked how
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${fields[19]}`
  } catch {
    return undefined
  }
}

/** Signals a whole group; one that is gone already is as good as signalled. */
const signalGroup = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(-pid, signal)
  } catch {}
}

/** A record that stays names a process that is gone, which the next start sees. */
const forget = (file: string): void => {
  try {
    rmSync(file, { force: true })
  } catch {}
}

/** What a record says; a thing that is none says nothing. */
const recordIn = (file: string): string => {
  try {
    return readPlainFile(file)
  } catch {
    return ''
  }
}

/** Kills what another life of this server started and left running, and forgets it. */
const killLeftBehind = async (folder: string): Promise<number> => {
  let killed = 0
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name)
    const pid = Number(name)
    const start = recordIn(file)
    // A pid is used again for other processes: the one that was recorded started when it says.
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

/** `killed`: how many of an earlier life were still running. */
export const openChildren = async (folder: string): Promise<Children & { killed: number }> => {
  const killed = existsSync(folder) ? await killLeftBehind(folder) : 0
  const running = new Set<Child>()
  const nursery = createNursery()
  let closed = false
  const killAll = () => {
    for (const { pid } of running) signalGroup(pid, 'SIGKILL')
  }
  process.on('exit', killAll) // however this process ends, as long as it can still do something

  const record = (child: Child) => {
    const { pid } = child
    const file = path.join(folder, String(pid))
    running.add(child)
    processGivesWay(pid)
    child.once('exit', () => {
      signalGroup(pid, 'SIGKILL') // what it started itself goes with it, also where nobody else sees to it
      running.delete(child)
      forget(file)
    })
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      writeFileSync(file, startOf(pid) ?? '', { mode: 0o600 })
    } catch (error) {
      signalGroup(pid, 'SIGKILL') // no process without its record
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
