// Runs one program of an environment in a process of its own. A program that exceeds a limit or breaks the protocol is
// ended, together with all processes that it started.
import { once } from 'node:events'
import { EnvironmentGone } from '../contract/environment.ts'
import { isFull } from '../contract/stored.ts'
import type { UserId } from '../contract/user-id.ts'
import { withoutValues } from '../contract/variables.ts'
import type { Command } from '../platform/children/children.ts'
import { deferred } from '../platform/deferred.ts'
import { type ProgramDeps, startProgram } from '../platform/programs/program.ts'
import { type Conversation, createConversation } from './program-conversation.ts'
import type { Hello } from './protocol.ts'
import { find } from './sandbox.ts'

/** The greatest length of a stored reason, in characters. */
const longest = 500
/** The reason in the form in which it is stored: one line, without the values of the caller's variables. */
const storableReason = (reason: string, secrets: readonly string[]): string =>
  withoutValues(reason, secrets)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .slice(0, longest)

/** A program must send its hello within this many milliseconds after its start. */
const startLimitMs = 20_000
export type EnvironmentProcess = {
  hello: Hello
  /** The user that the program runs as; undefined: the server's user. */
  user: UserId | undefined
  /** Rejects with Refused, or with EnvironmentGone. Call it only when no other request runs. */
  request: Conversation['request']
  /** Whether a request runs. */
  isAsked: Conversation['isAsked']
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

/** The error of a process that could not be started. */
const notStarted = (command: Command, error: unknown): unknown => {
  if (isFull(error)) return error
  const { code, message } = error as NodeJS.ErrnoException
  const isMissing = code === 'ENOENT'
  return new EnvironmentGone(
    isMissing ? `${command.command} was not found on PATH` : `the environment cannot be started: ${message}`,
  )
}

const limitFiles = async (pid: number, bytes: number, children: ProgramDeps['children']): Promise<void> => {
  const program = find('prlimit')
  if (program === undefined) return
  // A failure does no harm: a program that has ended needs no limit, and the count of the disk use notices long files.
  const args = ['--pid', `${pid}`, `--fsize=${bytes}`]
  const command = { command: program, args, env: {} }
  const limiting = await children.start(command).catch(error => {
    throw notStarted(command, error)
  })
  await once(limiting, 'exit')
}

/** Rejects with EnvironmentGone if the program cannot be started or does not send its hello. */
export const startProcess = async (command: Command, deps: ProgramDeps): Promise<EnvironmentProcess> => {
  let isClosing = false
  /** The reason why no more requests are possible, in the form in which it is stored. */
  let over: string | undefined
  let secrets: string[] = []
  const { promise: gone, resolve: hasGone } = deferred<string>()
  const hearsHello = deferred<Hello>()
  const program = await startProgram(command, deps, 'the environment').catch(error => {
    throw notStarted(command, error)
  })
  const conversation = createConversation({
    timers: deps.timers,
    send: message => program.send(JSON.stringify(message)),
    hello: hearsHello.resolve,
    broken: program.kill,
  })
  program.listen({
    hear: conversation.hear,
    ended(why) {
      over = storableReason(why, secrets)
      const isOver = new EnvironmentGone(over)
      hearsHello.reject(isOver)
      conversation.abandon(isOver)
      if (!isClosing) hasGone(over)
    },
  })
  const isOver = () => over ?? program.over()

  const cancelStart = deps.timers.after(startLimitMs, () =>
    program.kill(`the environment did not say hello in ${startLimitMs / 1000} s`),
  )
  const hello = await hearsHello.promise.finally(cancelStart)
  return {
    hello,
    user: command.user,
    request: async (...question) => {
      const why = isOver()
      if (why !== undefined) throw new EnvironmentGone(why)
      return conversation.request(...question)
    },
    isAsked: conversation.isAsked,
    limitFiles: bytes => limitFiles(program.pid, bytes, deps.children),
    hide(given) {
      secrets = given
    },
    gone,
    isGone: () => isOver() !== undefined,
    async end() {
      isClosing = true
      await program.end('the environment was closed')
    },
  }
}
