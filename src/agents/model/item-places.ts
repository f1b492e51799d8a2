// Counts the items that the pieces of an answer open, so that the extra of a thought finds its place again
// (src/model-requests/in-place.ts).
import type { Heard } from './endpoint.ts'

export const createItemPlaces = () => {
  const calls = new Set<string>()
  let items = 0
  let thoughts = 0
  let last: 'message' | 'reasoning' | undefined

  const hearCall = (call: string) => {
    if (calls.has(call)) return
    calls.add(call)
    items++
    last = undefined
  }
  const hearText = ({ kind, opens }: Exclude<Heard, { kind: 'call' }>) => {
    const item = kind === 'reasoning' ? 'reasoning' : 'message'
    if (item === last && opens !== true) return
    items++
    if (item === 'reasoning') thoughts++
    last = item
  }
  return {
    hear(pieces: Heard[]): Heard[] {
      for (const piece of pieces) {
        if (piece.text === '') continue
        if (piece.kind === 'call') hearCall(piece.call)
        else hearText(piece)
      }
      return pieces
    },
    /** The place before the next item. */
    next: (): { at: number } => ({ at: items }),
    /** The place of the newest reasoning item. */
    thought: (): { nth: number } => ({ nth: thoughts - 1 }),
    /** Whether text of this kind must say that it opens an item, since the newest item is of the same kind. */
    isOpen: (item: 'message' | 'reasoning'): boolean => last === item,
  }
}
