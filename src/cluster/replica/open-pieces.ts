// Stores the pieces of long payloads whose events were not read yet. Each node gives these payloads numbers of its own,
// since two owners may have used the same number.
import { openDigest } from '../../log/leaf.ts'
import type { Store } from '../../log/store.ts'
import type { KeyName } from '../records/content.ts'

/** `no`: the number of the payload on this node; undefined: the text of the payload was erased. */
type OpenPayload = { no: number | undefined; key: KeyName; digest: ReturnType<typeof openDigest> }

export const createOpenPieces = (local: Pick<Store, 'writePiece' | 'dropPieces' | 'lastPayload'>) => {
  const open = new Map<number, OpenPayload>()
  let lastNo = 0
  const newNo = (): number => {
    lastNo = Math.max(lastNo, local.lastPayload()) + 1
    return lastNo
  }
  return {
    isEmpty: (): boolean => open.size === 0,
    /** Stores a piece of a record. `text`: undefined when it was erased. */
    add(payload: number, n: number, key: KeyName, salt: string, text: string | undefined): Promise<void> {
      if (n === 0)
        open.set(payload, { no: text === undefined ? undefined : newNo(), key, digest: openDigest(salt) })
      const found = open.get(payload)
      if (found === undefined) throw new Error('has a piece whose beginning is missing')
      if (found.no === undefined || text === undefined) return Promise.resolve()
      return local.writePiece({ payload: found.no, n, salt, text })
    },
    /** Called when an event names the payload. Returns its number on this node and its key. */
    take(payload: number): OpenPayload | undefined {
      const found = open.get(payload)
      open.delete(payload)
      return found
    },
    /** Notes a payload that this node itself writes, under the same number. */
    own(payload: number, key: KeyName, salt: string): void {
      open.set(payload, { no: payload, key, digest: openDigest(salt) })
    },
    of: (payload: number): OpenPayload | undefined => open.get(payload),
    async drop(payload: number): Promise<void> {
      const no = open.get(payload)?.no
      open.delete(payload)
      if (no !== undefined) await local.dropPieces(no)
    },
    async dropAll(): Promise<void> {
      const left = [...open.values()].flatMap(({ no }) => no ?? [])
      open.clear()
      for (const no of left) await local.dropPieces(no)
    },
  }
}
export type OpenPieces = ReturnType<typeof createOpenPieces>
