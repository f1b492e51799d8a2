// Counts rows that came without a payload, because the key of the payload was destroyed. This is right only if an
// erasure that comes later in the log covers the row.
import type { Store } from '../../log/store.ts'

type Local = Pick<Store, 'erasedBy' | 'page'>

export const createBareRows = (local: Local) => {
  let bare = new Set<number>()
  const isBare = (position: number): boolean =>
    local.erasedBy(position) === undefined && local.page(position - 1, 1)[0]?.salt === null
  return {
    add(positions: readonly number[]): void {
      for (const position of positions) bare.add(position)
    },
    /** How many of these rows no erasure covers so far. */
    count(): number {
      bare = new Set([...bare].filter(isBare))
      return bare.size
    },
  }
}
export type BareRows = ReturnType<typeof createBareRows>
