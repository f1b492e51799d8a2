// Knows up to which number the file has the keys of each epoch without a hole. With these numbers, a node finds the
// keys that another node lacks.
import type { FiledKey, KeyFile } from './key-file.ts'

/** The keys of an epoch up to a number. */
export type Held = { epoch: number; upTo: number }

export const createHeld = (file: KeyFile) => {
  const held = new Map(file.held().map(({ epoch, upTo }) => [epoch, upTo]))
  return {
    /** Called when keys of an epoch were added. */
    note(epoch: number): void {
      let upTo = held.get(epoch) ?? 0
      for (const n of file.numbersAfter(epoch, upTo)) {
        if (n !== upTo + 1) break
        upTo = n
      }
      held.set(epoch, upTo)
    },
    /** For each epoch: the number up to which this node has the keys without a hole. */
    have: (): Held[] => [...held].map(([epoch, upTo]) => ({ epoch, upTo })),
    /** Up to `limit` keys that another node lacks; `have` says which keys it has. */
    missing(have: readonly Held[], limit: number): FiledKey[] {
      const known = new Map(have.map(({ epoch, upTo }) => [epoch, upTo]))
      const found: FiledKey[] = []
      for (const [epoch, upTo] of held) {
        const from = known.get(epoch) ?? 0
        if (from < upTo && found.length < limit)
          found.push(...file.later(epoch, from, Math.min(upTo - from, limit - found.length)))
      }
      return found
    },
  }
}
