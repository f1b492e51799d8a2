// Lets several threads verify the ranges of a log. The parts come in the order of their positions. A thread gets its
// next range when its last one was taken, so few ranges are in memory.
import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { startThread } from '../platform/thread.ts'
import type { Part } from './verify-range.ts'
import type { Answered, Asked } from './verify-thread.ts'

export type VerifyThreads = {
  /** How many threads read ranges. One more reads the whole file once. */
  readers: number
  /** Events of one range, a multiple of `width`. */
  range: number
  /** The number of leaves of which a thread computes the root, a power of two. */
  width: number
}

const ask = async (thread: Worker, asked: Asked): Promise<Answered> => {
  const answered = once(thread, 'message')
  thread.postMessage(asked)
  const [answer] = (await answered) as [Answered]
  if ('error' in answer) throw new Error(answer.error)
  return answer
}

export const openVerifyThreads = (log: string, { readers, range, width }: VerifyThreads) => {
  const start = () => startThread('verify-thread.mjs', { workerData: { log } })
  const threads = Array.from({ length: readers }, start)
  const ofFile = start()
  const fault = ask(ofFile, 'fault')
  fault.catch(() => {}) // it is awaited at the end
  return {
    /** The parts of the first `head` events. */
    async *parts(head: number): AsyncGenerator<Part> {
      const asked: { thread: Worker; answer: Promise<Answered> }[] = []
      let next = 0
      const askNext = (thread: Worker): void => {
        if (next >= head) return
        const answer = ask(thread, { after: next, end: Math.min(head, next + range), width })
        answer.catch(() => {}) // it is awaited in its turn
        asked.push({ thread, answer })
        next += range
      }
      for (const thread of threads) askNext(thread)
      for (let first = asked.shift(); first !== undefined; first = asked.shift()) {
        const answer = await first.answer
        askNext(first.thread)
        if ('parts' in answer) yield* answer.parts
      }
    },
    /** What SQLite finds wrong with the file. */
    async fileFault(): Promise<string | undefined> {
      const answer = await fault
      return 'fault' in answer ? answer.fault : undefined
    },
    close: async (): Promise<void> =>
      void (await Promise.all([...threads, ofFile].map(each => each.terminate()))),
  }
}
