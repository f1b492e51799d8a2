// Runs one program of users or of the operator in a process of its own, and exchanges lines with it. A program that uses
// too much memory is ended, together with all processes that it started.
import type { Timers } from '../../contract/ports.ts'
import type { Child, Children, Command } from '../children/children.ts'
import { type Errors, readErrors } from './errors.ts'
import type { MemoryWatch } from './memory-watch.ts'
import { killStragglers, newMark, ownUserMark } from './stragglers.ts'

/** The last output of a process that has ended is awaited for at most this many milliseconds. */
const lastWordsMs = 100

export type ProgramDeps = {
  children: Pick<Children, 'start' | 'end'>
  timers: Timers
  memory: MemoryWatch
  memoryMb: number
}
type Listener = {
  /** Takes bytes of standard output. */
  hear(chunk: Buffer): void
  /** Takes bytes of standard error. Absent: only its end is kept, for the reason. */
  hearErrors?: (chunk: Buffer) => void
  /** Called once, with the reason, when the process has ended and its output was read. */
  ended(why: string): void
}
export type Program = {
  pid: number
  /** Begins to read. To be called once, in the turn of the event loop in which the program has started. */
  listen(listener: Listener): void
  /** Sends one line. `text` must be JSON. Nothing is sent to a program that has ended. */
  send(text: string): void
  /** The number of bytes that the program has not taken yet. */
  unsent(): number
  /** Stops or resumes the reading of standard output. */
  pause(): void
  resume(): void
  /** Kills the process with all that it has started. `why` becomes the reason, unless there is one already. */
  kill(why: string): void
  /** Why the process has ended or is about to end; undefined: it runs. */
  over(): string | undefined
  /** Ends the process in order. Resolves when it is gone. */
  end(why: string): Promise<void>
}

/** Says in one sentence why a process has ended. */
const reasonOf = (
  name: string,
  [code, signal]: [number | null, NodeJS.Signals | null],
  errors: Errors,
  memoryMb: number,
): string => {
  // The JavaScript heap has the same limit as the process, and may be full first.
  if (/heap out of memory|Allocation failed/i.test(errors.text())) return tooMuchMemory(name, memoryMb)
  if (signal === 'SIGXFSZ') return `${name} made a file that is longer than the disk quota (QUOTA_DISK_MB)`
  const how =
    signal === null ? `${name} ended by itself with exit code ${code}` : `${name} was ended by ${signal}`
  const last = errors.lastLine()
  return last === '' ? how : `${how}: ${last}`
}
const tooMuchMemory = (name: string, memoryMb: number) => `${name} needed more than ${memoryMb} MiB of memory`

/** Kills a process with its whole process group. */
const killGroup = ({ pid, exitCode, signalCode }: Child): void => {
  if (exitCode !== null || signalCode !== null) return // another process may have its id by now
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {}
}

/**
 * `name`: what the program is called in reasons, such as `the environment`. Rejects with the system's error if the process
 * cannot be started.
 */
export const startProgram = async (
  command: Command,
  { children, timers, memory, memoryMb }: ProgramDeps,
  name: string,
): Promise<Program> => {
  const mark = newMark()
  const marks = { ...mark, ...(command.user === undefined ? {} : ownUserMark) }
  const child = await children.start({ ...command, env: { ...command.env, ...marks } })
  const { pid, stdin, stdout, stderr } = child
  const errors = readErrors(stderr, timers)
  let tell = (_why: string): void => {}
  let over: string | undefined

  const kill = (why: string) => {
    over ??= why
    stdout.destroy()
    killGroup(child)
  }
  const stopWatch = memory.watch(pid, memoryMb * 2 ** 20, () => kill(tooMuchMemory(name, memoryMb)))
  stdout.on('error', () => {})
  stdin.on('error', () => {})

  let isFinished = false
  const finish = (...exit: [number | null, NodeJS.Signals | null]) => {
    if (isFinished) return
    isFinished = true
    stopWatch()
    over ??= reasonOf(name, exit, errors, memoryMb)
    for (const pipe of [stdin, stdout, stderr]) pipe.destroy()
    tell(over)
  }
  child.once('exit', (code, signal) => {
    killStragglers(mark, command.user?.uid)
    errors.drain()
    stdout.resume()
    // A process that has left the group may keep the pipes open for ever.
    const cancel = timers.after(lastWordsMs, () => finish(code, signal))
    child.once('close', () => {
      cancel()
      finish(code, signal)
    })
  })

  return {
    pid,
    listen({ hear, hearErrors, ended }) {
      if (hearErrors !== undefined) stderr.on('data', hearErrors)
      stdout.on('data', hear)
      tell = ended
      if (isFinished) ended(over ?? '')
    },
    send(text) {
      if (!stdin.writable) return
      // The lines of one turn of the event loop are written at once: each write wakes the program.
      if (stdin.writableCorked === 0) {
        stdin.cork()
        process.nextTick(() => stdin.uncork())
      }
      stdin.write(`${text}\n`)
    },
    unsent: () => stdin.writableLength,
    pause: () => void stdout.pause(),
    resume: () => void stdout.resume(),
    kill,
    over: () => over,
    async end(why) {
      kill(why)
      await children.end(child)
    },
  }
}
