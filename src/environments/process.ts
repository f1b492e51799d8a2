// Runs one program of an environment in a process of its own. A program that exceeds a limit or breaks the protocol is
// ended, together with all processes that it started.
import { once } from 'node:events'
import { EnvironmentGone } from '../contract/environment.ts'
import type { Timers } from '../contract/ports.ts'
import { isFull } from '../contract/stored.ts'
import type { UserId } from '../contract/user-id.ts'
import type { Child, Children, Command } from '../platform/children/children.ts'
import { type Conversation, createConversation } from './conversation.ts'
import { deferred } from './deferred.ts'
import { reasonOf, storableReason, tooMuchMemory } from './ended.ts'
import { keepErrors } from './errors.ts'
import type { MemoryWatch } from './memory.ts'
import type { Hello } from './protocol.ts'
import { killStragglers, newMark, ownUserMark } from './stragglers.ts'
import { find } from './wall.ts'

/** A program must send its hello within this many milliseconds after its start. */
const startLimitMs = 20_000
/** The last output of a process that has ended is awaited for at most this many milliseconds. */
const lastWordsMs = 100

export type ProcessDeps = {
  children: Pick<Children, 'start' | 'end'>
  timers: Timers
  memory: MemoryWatch
  memoryMb: number
}
export type EnvironmentProcess = {
  hello: Hello
  /** The user that the program runs as; undefined: the server's user. */
  user: UserId | undefined
  /** Rejects with Refused, or with EnvironmentGone. Call it only when no other request runs. */
  request: Conversation['request']
  /**
   * From now on the program, and the processes that it starts, can make no file longer than this. A machine without the
   * command `prlimit` sets no limit.
   */
  limitFiles(bytes: number): Promise<void>
  /** Sets the texts that must not appear in the reason of the program's end. */
  hide(secrets: string[]): void
  /** Resolves with the reason when the process ends, unless `end` was called. */
  gone: Promise<string>
  isGone(): boolean
  /** Resolves when the process has ended. */
  end(): Promise<void>
}

const begin = async (command: Command, children: ProcessDeps['children']): Promise<Child> => {
  try {
    return await children.start(command)
  } catch (error) {
    if (isFull(error)) throw error
    const { code, message } = error as NodeJS.ErrnoException
    const isMissing = code === 'ENOENT'
    throw new EnvironmentGone(
      isMissing
        ? `${command.command} was not found on PATH`
        : `the environment cannot be started: ${message}`,
    )
  }
}

/** Kills a process with its whole process group. */
const killGroup = ({ pid, exitCode, signalCode }: Child): void => {
  if (exitCode !== null || signalCode !== null) return // another process may have its id by now
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {}
}

const limitFiles = async (pid: number, bytes: number, children: ProcessDeps['children']): Promise<void> => {
  const program = find('prlimit')
  if (program === undefined) return
  // A failure does no harm: a program that has ended needs no limit, and the count of the disk use notices long files.
  const args = ['--pid', `${pid}`, `--fsize=${bytes}`]
  const limiting = await begin({ command: program, args, env: {} }, children)
  await once(limiting, 'exit')
}

/** Rejects with EnvironmentGone if the program cannot be started or does not send its hello. */
export const startProcess = async (
  command: Command,
  { children, timers, memory, memoryMb }: ProcessDeps,
): Promise<EnvironmentProcess> => {
  const mark = newMark()
  const marks = { ...mark, ...(command.user === undefined ? {} : ownUserMark) }
  const child = await begin({ ...command, env: { ...command.env, ...marks } }, children)
  const { pid } = child
  const errors = keepErrors(child.stderr, timers)
  let isClosing = false
  /** The reason why no more requests are possible. */
  let over: string | undefined
  let secrets: string[] = []
  const { promise: gone, resolve: hasGone } = deferred<string>()

  const kill = (why: string) => {
    over ??= why
    child.stdout.destroy()
    killGroup(child)
  }
  const stopWatch = memory.watch(pid, memoryMb * 2 ** 20, () => kill(tooMuchMemory(memoryMb)))

  const hearsHello = deferred<Hello>()
  const conversation = createConversation({
    timers,
    send(message) {
      if (child.stdin.writable) child.stdin.write(`${JSON.stringify(message)}\n`)
    },
    hello: hearsHello.resolve,
    broken: kill,
  })
  child.stdout.on('data', conversation.hear)
  child.stdout.on('error', () => {})
  child.stdin.on('error', () => {})

  const finish = (code: number | null, signal: NodeJS.Signals | null) => {
    stopWatch()
    over = storableReason(over ?? reasonOf(code, signal, errors, memoryMb), secrets)
    for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy()
    const isOver = new EnvironmentGone(over)
    hearsHello.reject(isOver)
    conversation.abandon(isOver)
    if (!isClosing) hasGone(over)
  }
  child.once('exit', (code, signal) => {
    killStragglers(mark, command.user?.uid)
    errors.drain()
    // A process that has left the group may keep the pipes open for ever.
    const cancel = timers.after(lastWordsMs, () => finish(code, signal))
    child.once('close', () => {
      cancel()
      finish(code, signal)
    })
  })

  const cancelStart = timers.after(startLimitMs, () =>
    kill(`the environment did not say hello in ${startLimitMs / 1000} s`),
  )
  const hello = await hearsHello.promise.finally(cancelStart)
  return {
    hello,
    user: command.user,
    request: async (...question) => {
      if (over !== undefined) throw new EnvironmentGone(over)
      return conversation.request(...question)
    },
    limitFiles: bytes => limitFiles(pid, bytes, children),
    hide(given) {
      secrets = given
    },
    gone,
    isGone: () => over !== undefined,
    async end() {
      isClosing = true
      kill('the environment was closed')
      await children.end(child)
    },
  }
}
