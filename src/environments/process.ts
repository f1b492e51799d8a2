// One program of an environment in a process of its own. Whatever it does, it costs nobody else anything: it is ended,
// with all that it has started, when it breaks a limit or does not speak the protocol.
import { once } from 'node:events'
import { EnvironmentGone } from '../contract/environment.ts'
import type { Timers } from '../contract/ports.ts'
import type { UserId } from '../contract/user-id.ts'
import type { Child, Children, Command } from '../platform/children/children.ts'
import { type Conversation, createConversation } from './conversation.ts'
import { deferred } from './deferred.ts'
import { reasonOf, told, tooMuchMemory } from './ended.ts'
import { keepErrors } from './errors.ts'
import type { MemoryWatch } from './memory.ts'
import type { Hello } from './protocol.ts'
import { killStragglers, newMark, ownUserMark } from './stragglers.ts'
import { find } from './wall.ts'

const startLimitMs = 20_000
/** From the end of a process to the end of what it has said. */
const lastWordsMs = 100

export type ProcessParts = {
  children: Pick<Children, 'start' | 'end'>
  timers: Timers
  memory: MemoryWatch
  memoryMb: number
}
export type EnvironmentProcess = {
  hello: Hello
  /** The user that it runs as, if not ours. */
  user: UserId | undefined
  /** Rejects with Refused, or with EnvironmentGone. Not while another request runs. */
  request: Conversation['request']
  /** From now on it, and what it starts, can make no file longer than this, where the system has `prlimit`. */
  limitFiles(bytes: number): Promise<void>
  /** Texts that must not stand in the reason of its end. */
  hide(secrets: string[]): void
  /** Resolves with the reason when the process ends, unless `end` was called. */
  gone: Promise<string>
  isGone(): boolean
  /** Resolves when it is gone. */
  end(): Promise<void>
}

const begin = async (command: Command, children: ProcessParts['children']): Promise<Child> => {
  try {
    return await children.start(command)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const isMissing = code === 'ENOENT'
    throw new EnvironmentGone(
      isMissing
        ? `${command.command} was not found on PATH`
        : `the environment cannot be started: ${message}`,
    )
  }
}

/** Kills a process with all of its group. */
const killGroup = ({ pid, exitCode, signalCode }: Child): void => {
  if (exitCode !== null || signalCode !== null) return // its number may be another's by now
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {}
}

const limitFiles = async (pid: number, bytes: number, children: ProcessParts['children']): Promise<void> => {
  const program = find('prlimit')
  if (program === undefined) return
  // One that ends meanwhile needs no limit; what it then writes is found by looking.
  const args = ['--pid', `${pid}`, `--fsize=${bytes}`]
  const limiting = await begin({ command: program, args, env: {} }, children)
  await once(limiting, 'exit')
}

/** Rejects with EnvironmentGone when it does not get as far as its hello. */
export const startProcess = async (
  command: Command,
  { children, timers, memory, memoryMb }: ProcessParts,
): Promise<EnvironmentProcess> => {
  const mark = newMark()
  const marks = { ...mark, ...(command.user === undefined ? {} : ownUserMark) }
  const child = await begin({ ...command, env: { ...command.env, ...marks } }, children)
  const { pid } = child
  const errors = keepErrors(child.stderr, timers)
  let isClosing = false
  /** Why nothing can be asked any more. */
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
    over = told(over ?? reasonOf(code, signal, errors, memoryMb), secrets)
    for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy()
    const isOver = new EnvironmentGone(over)
    hearsHello.reject(isOver)
    conversation.abandon(isOver)
    if (!isClosing) hasGone(over)
  }
  child.once('exit', (code, signal) => {
    killStragglers(mark, command.user?.uid)
    errors.drain()
    // A process that has left the group may hold its pipes for ever.
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
