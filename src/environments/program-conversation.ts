// Exchanges messages with one program: takes its hello, then sends one request at a time, each with a time limit. An
// invalid or unexpected message ends the conversation.
import type { Timers } from '../contract/ports.ts'
import { createLines, longestLine, Unfit } from '../platform/programs/lines.ts'
import { beginning } from './cut.ts'
import { type Answered, createQuestion, type Limits, type Question, Refused } from './program-question.ts'
import { type Hello, type Method, readMessage } from './protocol.ts'

/** A program may send at most this many bytes for one answer, output included. */
const maxAnswerBytes = 2 * longestLine
/** The greatest length, in bytes, of an error message that is kept. The rest is cut off. */
const longestError = 64 << 10

type Deps = {
  timers: Pick<Timers, 'after'>
  send(message: object): void
  hello(hello: Hello): void
  /** Called with the reason when the program must be ended. */
  broken(why: string): void
}
export type Conversation = {
  /** Takes bytes that the program has sent. */
  hear(chunk: Buffer): void
  /** Rejects with Refused if the program answers with an error. Call it only when no other request runs. */
  request(method: Method, params: object, limits: Limits): Promise<Answered>
  /** Whether a request runs. */
  isAsked(): boolean
  /** Called when no answer can come any more. Rejects the open request. */
  abandon(error: Error): void
}

export const createConversation = ({ timers, send, hello, broken }: Deps): Conversation => {
  let isOver = false
  let hasSaidHello = false
  let question: Question | undefined
  let asked = 0
  let said = 0

  const end = (why: string) => {
    isOver = true
    broken(why)
  }

  const settled = () => {
    question = undefined
  }
  const request: Conversation['request'] = async (method, params, limits) => {
    if (question !== undefined) throw new Error('a bug of the server: it asks a program two things at a time')
    said = 0
    question = createQuestion({ id: ++asked, method, params }, limits, { timers, send, end, settled })
    return question.answered
  }

  const askedFor = (id: number): Question => {
    if (question?.id !== id) throw new Unfit('an answer that nobody waits for')
    return question
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
    else if (heard.is === 'output' && question?.id === heard.id) question.output(heard.text)
  }
  const lines = createLines(take)

  const hear = (chunk: Buffer) => {
    if (isOver) return
    said += chunk.length
    try {
      if (said > maxAnswerBytes) throw new Unfit('more than 32 MiB without an answer')
      lines(chunk)
    } catch (error) {
      if (!(error instanceof Unfit)) throw error
      end(`the environment does not speak the protocol: it sent ${error.message}`)
    }
  }

  return {
    hear,
    request,
    isAsked: () => question !== undefined,
    abandon(error) {
      isOver = true
      question?.refuse(error)
    },
  }
}
