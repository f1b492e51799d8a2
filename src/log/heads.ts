// Keeps the heads of the streams that were used last, so that the next append to them needs no lookup in the file.
import { asked } from './asked.ts'
import type { Store, StreamHead } from './store.ts'

/** A stream's head, and the position of its newest event (0: the head was read from the file). */
export type KnownHead = StreamHead & { position: number }
export type Newest = Omit<KnownHead, 'no'>

/**
 * The heads of this many streams are kept. More are kept only while the last events of the oldest one are not durable.
 */
const headsKept = 100_000

/** `durable` returns the position of the newest durable event. */
export const createHeads = (store: Pick<Store, 'headOf'>, durable: () => number) => {
  const heads = new Map<string, KnownHead>()

  /**
   * Keeps a head, and drops the oldest one when there are too many. A head whose last events are not durable yet is
   * never dropped, since the file does not have these events.
   */
  const keep = (stream: string, known: KnownHead): void => {
    heads.delete(stream)
    heads.set(stream, known)
    if (heads.size <= headsKept) return
    for (const [oldest, { position }] of heads) {
      if (position <= durable()) heads.delete(oldest)
      return
    }
  }
  return {
    keep,
    inMemory: (stream: string): KnownHead | undefined => heads.get(stream),
    /** The newest event of a stream. Undefined: it is not in memory. */
    newestOf(stream: string): Newest | undefined {
      const { position = 0, revision = -1 } = heads.get(stream) ?? {}
      return position === 0 ? undefined : { position, revision }
    },
    /** The head of a stream, from memory or from the file. Undefined: there is no such stream. */
    of(stream: string): KnownHead | undefined {
      const known = heads.get(stream)
      if (known !== undefined) return known
      const stored = asked(() => store.headOf(stream))
      if (stored === undefined) return undefined
      const found = { ...stored, position: 0 }
      keep(stream, found)
      return found
    },
    clear: () => heads.clear(),
  }
}
