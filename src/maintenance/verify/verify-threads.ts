// Verifies the ranges of a log in this thread and in helpers, which are further threads. The parts come in the order of
// their positions. This thread verifies ranges, too, since helpers take time to start and to compile the same code.
import { setImmediate } from 'node:timers/promises'
import type { StoredRows } from '../../log/storage.ts'
import { createAskedThread } from '../../platform/threads/asked-thread.ts'
import { erasuresOf } from './log-erasures.ts'
import { type Part, partsOf } from './verify-range.ts'
import type { Answered, Asked } from './verify-thread.ts'

export type VerifyThreads = {
  /** The number of helpers. The first helper lets the storage check itself before it verifies ranges. */
  helpers: number
  /** The number of events of a range, a multiple of `width`. */
  range: number
  /** The number of leaves of which a thread computes the root, a power of two. */
  width: number
}

/** A helper has this many ranges at a time, so that it has work while this thread is busy and gives it no range. */
const rangesOfHelper = 2
/** At most this many ranges are begun. So the parts of fast threads do not fill the memory while a slow one works. */
const mostRanges = 64

const startHelper = (log: string) => {
  const { start, ask, end } = createAskedThread<Asked, Answered>('verify-thread.mjs', {
    name: 'a thread that verifies',
    worker: { workerData: { log } },
    keepsAlive: 'always',
  })
  start()
  return {
    ask(asked: Asked): Promise<Answered> {
      const answer = ask(asked)
      answer.catch(() => {}) // the error is handled when the answer is awaited
      return answer
    },
    end: () => end(),
  }
}
type Helper = ReturnType<typeof startHelper>

/** `parts` is undefined until the range has been read. */
type Range = { parts?: Part[]; answer?: Promise<unknown> }

export const openVerifyThreads = (
  rows: StoredRows,
  log: string,
  { helpers: count, range, width }: VerifyThreads,
) => {
  const helpers = Array.from({ length: count }, () => startHelper(log))
  const [ofFile, ...others] = helpers
  const erasures = erasuresOf(rows)
  /** A helper is in this list once for each range that it can take. */
  const free: Helper[] = []
  const setFree = (helper: Helper): void => {
    for (let n = 0; n < rangesOfHelper; n++) free.push(helper)
  }
  const readFile = async (helper: Helper): Promise<Answered> => {
    const answer = await helper.ask('fault')
    setFree(helper)
    return answer
  }
  const found = ofFile && readFile(ofFile)
  found?.catch(() => {}) // `fault` of this object handles the error
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
          begun.push({ parts: await partsOf(rows, erasures, take()) })
          await setImmediate() // lets the answers of helpers come in
        } else if (first !== undefined) await first.answer
        else return
      }
    },
    /** What the storage itself finds wrong with the log. */
    async fault(): Promise<string | undefined> {
      if (found === undefined) return rows.fault()
      const answer = await found
      return 'fault' in answer ? answer.fault : undefined
    },
    close: async (): Promise<void> => void (await Promise.all(helpers.map(each => each.end()))),
  }
}
export type VerifyReading = ReturnType<typeof openVerifyThreads>
