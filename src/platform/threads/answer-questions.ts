// Answers the questions that a thread gets (src/platform/threads/asked-thread.ts), one after the other.
import { parentPort } from 'node:worker_threads'
import { DamagedEvent } from '../../contract/stored.ts'
import { createTurns } from '../turns.ts'

/** `damage`: the question met a damaged event of the log. */
export type Reply =
  | { answer: unknown }
  | { error: { message: string; code?: string } }
  | { damage: { position: number; why: string } }

const failure = (error: unknown): Reply => {
  if (error instanceof DamagedEvent) return { damage: { position: error.position, why: error.why } }
  if (!(error instanceof Error)) return { error: { message: String(error) } }
  const { message, code } = error as Error & { code?: string }
  return { error: { message, ...(code === undefined ? {} : { code }) } }
}

const replyOf = (answerTo: () => unknown): Reply => {
  try {
    return { answer: answerTo() }
  } catch (error) {
    return failure(error)
  }
}

/** `answered`: called after each reply is sent. */
export const answerQuestions = <Question>(
  answerTo: (question: Question) => unknown,
  answered: (question: Question) => void = () => {},
): void => {
  parentPort?.on('message', (question: Question) => {
    parentPort?.postMessage(replyOf(() => answerTo(question)))
    answered(question)
  })
}

/** Does the same for answers that take a while. The next question waits for the answer to the one before it. */
export const answerPatiently = <Question>(answerTo: (question: Question) => Promise<unknown>): void => {
  const turns = createTurns()
  parentPort?.on('message', (question: Question) => {
    const replied = turns(() => answerTo(question)).then((answer): Reply => ({ answer }), failure)
    void replied.then(reply => parentPort?.postMessage(reply))
  })
}
