// Adds rows of the shared log to the local log. Rows that are there already are compared, and stay as they are. Writes
// begin without anybody waiting for them; `drain` waits for all of them.
import type { Store } from '../../log/store.ts'
import type { unpackEvents } from '../records/packed-events.ts'
import { Divergence } from './errors.ts'
import { behind, endOf, mustAgree } from './rows.ts'

type Opened = ReturnType<typeof unpackEvents>

export const createRowWrites = (local: Store) => {
  let head = local.last()?.position ?? 0
  let underWay: Promise<void>[] = []
  let added = 0

  const drain = async (): Promise<void> => {
    const waited = underWay
    underWay = []
    for (const result of await Promise.allSettled(waited))
      if (result.status === 'rejected') throw result.reason
  }
  return {
    drain,
    /** Lets `drain` wait for a write that belongs to rows, too. */
    join: (write: Promise<void>): void => void underWay.push(write),
    /**
     * Adds the rows of a batch that the local log lacks. `long`: the long payloads of the batch, with the numbers that
     * they have on this node. Throws Divergence.
     */
    async add(opened: Opened, long: Opened['batch']['long']): Promise<void> {
      const batch = { ...opened.batch, long }
      const isKnown = batch.first <= head
      if (batch.first > head + 1) throw new Divergence(head + 1, 'lacks the event')
      if (isKnown) {
        await drain()
        mustAgree(local, head, batch)
      }
      const end = endOf(batch)
      if (end <= head) return
      underWay.push(local.write(behind(batch, head, isKnown ? local.lastStreamNo() : 0)))
      head = end
      added++
    },
    /** Continues behind the last row in the file, after a failure. */
    async restart(): Promise<void> {
      await drain().catch(() => {})
      head = local.last()?.position ?? 0
    },
    /** The last position, including the rows that are still being written. */
    head: (): number => head,
    /** How many batches were added. */
    added: (): number => added,
  }
}
export type RowWrites = ReturnType<typeof createRowWrites>
