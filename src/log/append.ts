// Appends events to the log. An append with only short payloads is put in order at once. An append with a long payload
// is put in order when its long payloads are stored.
import {
  type Log,
  type Recorded,
  RevisionConflict,
  StorageFailure,
  type StreamAppend,
} from '../contract/stored.ts'
import type { CommitQueue } from './commit-queue.ts'
import { areShort, type LongData, type LongPayloads, type Payload, payloadsOf } from './long-payloads.ts'
import type { Order } from './order.ts'

type Deps = { order: Order; long: LongPayloads; queue: CommitQueue; recovery: { recover(): Promise<void> } }
type OnOrdered = Parameters<Log['append']>[1]

const failure = () => new StorageFailure('the event log could not be written')

export const createAppend = ({ order, long, queue, recovery }: Deps): Log['append'] => {
  const put = (appends: StreamAppend[], payloads: Payload[][], ordered: OnOrdered): Promise<Recorded[]> =>
    new Promise((resolve, reject) => {
      const { packed, recorded } = order.put(appends, payloads)
      queue.push({ packed, recorded, resolve, reject })
      ordered?.(recorded)
    })
  const putLong = async (
    appends: StreamAppend[],
    unstored: (string | LongData)[][],
    ordered: OnOrdered,
  ): Promise<Recorded[]> => {
    order.check(appends)
    const payloads = await long.store(unstored)
    if (queue.hasFailed()) throw failure()
    try {
      return await put(appends, payloads, ordered)
    } catch (error) {
      if (error instanceof RevisionConflict) long.drop(payloads)
      throw error
    }
  }

  const append: Log['append'] = (appends, ordered) => {
    if (queue.hasFailed()) {
      if (queue.isWriting()) return Promise.reject(failure())
      return recovery.recover().then(() => append(appends, ordered))
    }
    try {
      const payloads = payloadsOf(appends)
      return areShort(payloads) ? put(appends, payloads, ordered) : putLong(appends, payloads, ordered)
    } catch (error) {
      return Promise.reject(error)
    }
  }
  return append
}
