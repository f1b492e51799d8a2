// Verifies the ranges of a log in this thread and in helpers, which are further threads. The parts come in the order of
// their positions. This thread reads, too, since each thread takes time to start and to compile the same code.
import { setImmediate } from 'node:timers/promises'
import type { StoredRows } from '../log/stored-rows.ts'
import { startThread } from '../platform/thread.ts'
import { erasuresOf } from './log-erasures.ts'
import { type Part, partsOf } from './verify-range.ts'
import type { Answered, Asked } from './verify-thread.ts'

export type VerifyThreads = {
  /** How many threads help this one. The first of them reads the whole file, before it helps. */
  helpers: number
  /** Events of one range, a multiple of `width`. */
  range: number
  /** The number of leaves of which a thread computes the root, a power of two. */
  width: number
}

/** Ranges that a helper has at a time: it begins the second one while this thread is busy and gives it no other. */
const rangesOfHelper = 2
/** The most ranges that were begun and not taken. So one slow thread does not let the parts of the others fill the memory. */
const mostRanges = 64

const startHelper = (log: string) => {
  const thread = startThread('verify-thread.mjs', { workerData: { log } })
  const waiting: { resolve: (answer: Answered) => void; reject: (error: Error) => void }[] = []
  thread.on('message', (answer: Answered) => {
    const first = waiting.shift()
    if ('error' in answer) first?.reject(new Error(answer.error))
    else first?.resolve(answer)
  })
  thread.on('error', error => {
    for (const each of waiting.splice(0)) each.reject(error)
  })
  return {
    /** The answers come in the order of the questions. */
    ask(asked: Asked): Promise<Answered> {
      const answer = new Promise<Answered>((resolve, reject) => waiting.push({ resolve, reject }))
      answer.catch(() => {}) // it is awaited in its turn
      thread.postMessage(asked)
      return answer
    },
    end: () => thread.terminate(),
  }
}
type Helper = ReturnType<typeof startHelper>

/** `parts` is there when the range was read. */
type Range = { parts?: Part[]; answer?: Promise<unknown> }

export const openVerifyThreads = (
  rows: StoredRows,
  log: string,
  { helpers: count, range, width }: VerifyThreads,
) => {
  const helpers = Array.from({ length: count }, () => startHelper(log))
  const [ofFile, ...others] = helpers
  const erasures = erasuresOf(rows)
  /** Each helper is in this list as often as it can take a range. */
  const free: Helper[] = []
  const setFree = (helper: Helper): void => {
    for (let n = 0; n < rangesOfHelper; n++) free.push(helper)
  }
  const readFile = async (helper: Helper): Promise<Answered> => {
    const answer = await helper.ask('fault')
    setFree(helper)
    return answer
  }
  const fault = ofFile && readFile(ofFile)
  fault?.catch(() => {}) // it is awaited at the end
  for (const each of others) setFree(each)
  return {
    /** The parts of the first `head` events. */
    async *parts(head: number): AsyncGenerator<Part> {
      const begun: Range[] = []
      let next = 0
      const canBegin = () => next < head && begun.length < mostRanges
      const take = () => {
        const after = next
        next = Math.min(head, next + range)
        return { after, end: next, width }
      }
      const give = (helper: Helper): void => {
        const given: Range = {}
        given.answer = helper.ask(take()).then(answer => {
          if ('parts' in answer) given.parts = answer.parts
          free.push(helper)
        })
        given.answer.catch(() => {})
        begun.push(given)
      }
      for (;;) {
        while (canBegin()) {
          const helper = free.pop()
          if (helper === undefined) break
          give(helper)
        }
        const [first] = begun
        if (first?.parts !== undefined) {
          begun.shift()
          yield* first.parts
        } else if (canBegin()) {
          begun.push({ parts: [...partsOf(rows, erasures, take())] })
          await setImmediate() // lets the answers of helpers come in
        } else if (first !== undefined) await first.answer
        else return
      }
    },
    /** What SQLite finds wrong with the file. */
    async fileFault(): Promise<string | undefined> {
      if (fault === undefined) return rows.fileFault()
      const answer = await fault
      return 'fault' in answer ? answer.fault : undefined
    },
    close: async (): Promise<void> => void (await Promise.all(helpers.map(each => each.end()))),
  }
}
export type VerifyReading = ReturnType<typeof openVerifyThreads>
