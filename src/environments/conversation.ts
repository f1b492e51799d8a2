// What is said with one program: its hello, then one question at a time, each with its limit. Throws Unfit at what
// does not belong there.
import { AuthorsError, StopStep } from '../contract/environment.ts'
import type { Timers } from '../contract/ports.ts'
import { beginning } from './cut.ts'
import { createLines } from './lines.ts'
import { type Hello, longestLine, type Method, readMessage, Unfit } from './protocol.ts'

/** From being told to stop to being killed. */
const graceMs = 2000
/** Bytes that a program may send for one answer, with its output. */
const mostSaid = 2 * longestLine
/** Bytes of why something could not be done. */
const longestError = 64 << 10

export type Limits = {
  limitMs: number
  signal?: AbortSignal
  output?: (text: string) => void
}
/** `stopped`: it was told to stop before it answered, and why. */
export type Answered = { result: unknown; stopped: string | undefined }
/** The program could not do what it was asked. */
export class Refused extends AuthorsError {
  stopped: string | undefined
}

type Asking = {
  id: number
  output: (text: string) => void
  answer: (result: unknown) => void
  refuse: (error: Error) => void
}

type Parts = {
  timers: Pick<Timers, 'after'>
  send(message: object): void
  hello(hello: Hello): void
  /** It has to be ended, and why. */
  broken(why: string): void
}
export type Conversation = {
  /** What the program has sent. */
  hear(chunk: Buffer): void
  /** Rejects with Refused. Not while another request runs. */
  request(method: Method, params: object, limits: Limits): Promise<Answered>
  /** Nothing will be answered any more. */
  abandon(error: Error): void
}

export const createConversation = ({ timers, send, hello, broken }: Parts): Conversation => {
  let isOver = false
  let hasSaidHello = false
  let asking: Asking | undefined
  let asked = 0
  let said = 0

  const end = (why: string) => {
    isOver = true
    broken(why)
  }

  const askedFor = (id: number): Asking => {
    if (asking?.id !== id) throw new Unfit('an answer that nobody waits for')
    return asking
  }

  const take = (line: string): void => {
    if (isOver) return
    const heard = readMessage(line)
    if (heard.is === 'failure') end(`the environment failed: ${heard.message}`)
    else if (heard.is === 'hello') {
      if (hasSaidHello) throw new Unfit('hello a second time')
      hasSaidHello = true
      hello(heard.hello)
    } else if (!hasSaidHello) throw new Unfit('something before its hello')
    else if (heard.is === 'answer') askedFor(heard.id).answer(heard.result)
    else if (heard.is === 'refusal')
      askedFor(heard.id).refuse(new Refused(beginning(heard.message, longestError)))
    else if (heard.is === 'output' && asking?.id === heard.id) asking.output(heard.text)
  }
  const lines = createLines(take)

  const hear = (chunk: Buffer) => {
    if (isOver) return
    said += chunk.length
    try {
      if (said > mostSaid) throw new Unfit('more than 32 MiB without an answer')
      lines(chunk)
    } catch (error) {
      if (!(error instanceof Unfit)) throw error
      end(`the environment does not speak the protocol: it sent ${error.message}`)
    }
  }

  const request: Conversation['request'] = (method, params, { limitMs, signal, output = () => {} }) =>
    new Promise((resolve, reject) => {
      const id = ++asked
      said = 0
      let stopped: string | undefined
      let cancelTimer = () => {}
      const stop = (why: string) => {
        if (stopped !== undefined) return
        stopped = why
        send({ method: 'cancel', params: { id } })
        cancelTimer()
        cancelTimer = timers.after(graceMs, () =>
          end(`the environment's ${method} ${why} and did not stop when it was told to`),
        )
      }
      const cancel = () => stop(signal?.reason instanceof StopStep ? signal.reason.message : 'was canceled')
      const settle = () => {
        cancelTimer()
        signal?.removeEventListener('abort', cancel)
        asking = undefined
      }
      asking = {
        id,
        output,
        answer(result) {
          settle()
          resolve({ result, stopped })
        },
        refuse(error) {
          settle()
          if (error instanceof Refused) error.stopped = stopped
          reject(error)
        },
      }
      send({ id, method, params })
      cancelTimer = timers.after(limitMs, () => stop(`took longer than ${limitMs / 1000} s`))
      signal?.addEventListener('abort', cancel)
      if (signal?.aborted) cancel()
    })

  return {
    hear,
    request,
    abandon(error) {
      isOver = true
      asking?.refuse(error)
    },
  }
}
