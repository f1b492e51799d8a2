// A host as a process of this command: it speaks the agent protocol over standard input and output, and may be killed.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { isObject, readHello, readMessage } from '../../agent-hosts/messages.ts'
import type { Command } from '../../platform/children/children.ts'
import { createLines, Unfit } from '../../platform/programs/lines.ts'

/** A message of the agent protocol. */
export type Message = { type: string; [field: string]: unknown }
/** A host has this many milliseconds for its hello, and for each answer. */
export const patienceMs = 20_000
/** What is wrong with a message is told in at most so many characters. */
const longestTold = 200
/** So many of the last lines that the process wrote to standard error are kept. */
const keptLines = 200

/** Thrown when the process has ended, is silent, or says something that is no message. */
export class HostFailed extends Error {}

export type HostProcess = {
  send(message: object): void
  /** The next message. Rejects with HostFailed when none comes. */
  next(ms?: number): Promise<Message>
  /** How many messages have come that nobody has taken. */
  waiting(): number
  /** From now on, calls back for each message instead, also for those that wait. */
  hear(take: (message: Message) => void): void
  /** What it wrote to standard error, line by line. */
  errors(): readonly string[]
  /** Resolves when the process has ended, with the reason. */
  ended: Promise<string>
  signal(signal: NodeJS.Signals): void
  /** Ends the process as a crash would. Resolves when it has ended. */
  kill(): Promise<void>
}

/** The message of a line, read as the server reads it. Throws Unfit. */
const messageIn = (line: string): Message => {
  const message = readMessage(Buffer.from(line))
  if (isObject(message) && typeof message.type === 'string') return message as Message
  throw new Unfit(`“${line.slice(0, 80)}”, which is no message`)
}

/** The hello in a message. Throws Unfit. */
export const helloIn = (message: Message) => readHello(message, Buffer.byteLength(JSON.stringify(message)))

export const startHostProcess = ({ command, args, cwd, env }: Command): HostProcess => {
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
  const told: Message[] = []
  const errors: string[] = []
  let take: ((message: Message) => void) | undefined
  let asker: { resolve(message: Message): void; reject(error: HostFailed): void } | undefined
  let why: string | undefined
  let say = (_: string) => {}
  const ended = new Promise<string>(resolve => {
    say = resolve
  })

  const signal = (name: NodeJS.Signals) => {
    try {
      if (child.pid !== undefined && why === undefined) process.kill(-child.pid, name)
    } catch {} // it has just ended
  }
  const killNow = () => signal('SIGKILL')
  process.prependOnceListener('exit', killNow)
  const end = (reason: string) => {
    if (why !== undefined) return
    killNow()
    why = reason
    process.off('exit', killNow)
    asker?.reject(new HostFailed(reason))
    asker = undefined
    say(reason)
  }

  child.stdin.on('error', () => {}) // it has ended, which is told otherwise
  const lines = createLines(line => {
    if (why !== undefined) return
    const message = messageIn(line)
    if (take !== undefined) take(message)
    else if (asker === undefined) told.push(message)
    else {
      asker.resolve(message)
      asker = undefined
    }
  })
  child.stdout.on('data', (chunk: Buffer) => {
    try {
      lines(chunk)
    } catch (error) {
      if (!(error instanceof Unfit)) throw error
      end(`the host does not speak the protocol: it sent ${error.message.slice(0, longestTold)}`)
    }
  })
  createInterface(child.stderr).on('line', line => {
    errors.push(line)
    if (errors.length > keptLines) errors.shift()
  })
  child.on('error', (error: NodeJS.ErrnoException) =>
    end(
      error.code === 'ENOENT' ? `${command} was not found on PATH` : `it cannot be started: ${error.message}`,
    ),
  )
  // 'close' comes when all that it has written was read.
  child.on('close', (code, by) =>
    end(`the process of the agent has ended (${by === null ? `exit code ${code}` : by})`),
  )

  return {
    send: message => void child.stdin.write(`${JSON.stringify(message)}\n`),
    next(ms = patienceMs) {
      const message = told.shift()
      if (message !== undefined) return Promise.resolve(message)
      if (why !== undefined) return Promise.reject(new HostFailed(why))
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          asker = undefined
          reject(new HostFailed(`the agent has sent nothing for ${ms / 1000} s`))
        }, ms)
        asker = {
          resolve(message) {
            clearTimeout(timer)
            resolve(message)
          },
          reject(error) {
            clearTimeout(timer)
            reject(error)
          },
        }
      })
    },
    waiting: () => told.length,
    hear(taker) {
      take = taker
      for (const message of told.splice(0)) taker(message)
    },
    errors: () => errors,
    ended,
    signal,
    async kill() {
      killNow()
      await ended
    },
  }
}
