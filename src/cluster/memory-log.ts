// A shared log in the memory of one process. Several clients open it, as nodes do. Like real servers, it can refuse an
// append, and its answers can be lost or late. It is for tests, and for measurements without servers.
import { createFollowing } from './memory-following.ts'
import { Fenced, type SharedLog, type SharedRecord, Unknown } from './shared-log.ts'

/**
 * What happens to the record of an append. `refused`: it is not stored, and the client is told so. `lost`: it is not
 * stored, and the client gets no answer. `doubted`: it is stored, but the client gets no answer. `stray`: the client
 * gets no answer, and it is stored later if its place is still free. `slow`: it is stored, and the answer comes late.
 */
export const appendFaults = ['refused', 'lost', 'doubted', 'stray', 'slow'] as const
export type AppendFault = (typeof appendFaults)[number]

type Options = {
  /** The largest size of a record, in bytes. */
  maxBytes?: number
  /** Decides at each append what happens to it; undefined: it is stored. */
  fault?: () => AppendFault | undefined
  /** How many of the newest records a read does not see yet. */
  unseen?: () => number
}

/** Turns of the event loop until a slow answer or a stray record comes. */
const lateTurns = 20

const turns = async (count: number): Promise<void> => {
  for (let n = 0; n < count; n++) await new Promise<void>(resolve => setImmediate(resolve))
}

export const createMemoryServers = (options: Options = {}) => {
  const { maxBytes = 900 * 1024, unseen = () => 0 } = options
  let records: SharedRecord[] = []
  let planned: (AppendFault | undefined)[] = []
  const waiting = new Set<() => void>()

  const store = (expected: number, bytes: Uint8Array): void => {
    if (expected !== records.length)
      throw new Fenced(`${records.length} records are stored, but the append expects ${expected}`)
    records.push({ sequence: expected + 1, bytes })
    for (const wake of waiting) wake()
  }
  const storeLater = async (expected: number, bytes: Uint8Array): Promise<void> => {
    await turns(lateTurns)
    if (expected === records.length) store(expected, bytes)
  }
  const answer = async (expected: number, bytes: Uint8Array): Promise<void> => {
    const fault = planned.length > 0 ? planned.shift() : options.fault?.()
    await turns(1)
    if (fault === 'refused') throw new Fenced('the append was refused')
    if (fault === 'stray') void storeLater(expected, bytes)
    if (fault === 'lost' || fault === 'stray') throw new Unknown('no answer came')
    store(expected, bytes)
    if (fault === 'slow') await turns(lateTurns)
    if (fault === 'doubted') throw new Unknown('no answer came')
  }
  const readAfter = (after: number, limit: number): SharedRecord[] =>
    records.slice(after, Math.min(after + limit, records.length - unseen()))

  const open = (): SharedLog => {
    /** Appends that wait for their answers, by the sequences that their records would get. */
    const underWay = new Map<number, Promise<void>>()
    const append = async (expected: number, bytes: Uint8Array): Promise<void> => {
      if (bytes.length > maxBytes) throw new Error(`a record of ${bytes.length} bytes is too long`)
      const before = underWay.get(expected)
      const answered = answer(expected, bytes)
      const whole = Promise.allSettled([before, answered]).then(([first]) => {
        if (first.status === 'fulfilled') return answered
        throw new Unknown('the append before this one failed')
      })
      underWay.set(expected + 1, whole)
      try {
        await whole
      } finally {
        if (underWay.get(expected + 1) === whole) underWay.delete(expected + 1)
      }
    }
    return {
      maxBytes,
      append,
      tail: async () => Math.max(0, records.length - unseen()),
      async read(after, limit) {
        await turns(1)
        return readAfter(after, limit)
      },
      leadersRecord: async sequence => records[sequence - 1],
      distrust: async () => false, // there is one copy
      leadByLongest: async () => {},
      follow: (after, handle, failed) => createFollowing({ read: readAfter, waiting, after, handle, failed }),
      async close() {},
    }
  }
  return {
    /** Opens a new client, such as each node has. */
    open,
    /** The records that are stored. */
    records: (): readonly SharedRecord[] => records,
    /** What happens to the next appends, in order. It takes precedence over the option `fault`. */
    plan: (...faults: (AppendFault | undefined)[]): void => void planned.push(...faults),
    /** Ends all faults: from now on each append succeeds. */
    heal(): void {
      planned = []
      options.fault = () => undefined
    },
    /** The servers lose the records behind a sequence, as after a power cut. */
    loseBehind(sequence: number): void {
      records = records.slice(0, sequence)
    },
  }
}
export type MemoryServers = ReturnType<typeof createMemoryServers>
