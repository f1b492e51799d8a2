// Brings the stream keys of the owner to a standby, before the owner uses them: without these keys, the standby could
// not take over. The standby asks again and again, and each question says which keys it has on its disk by then.
import type { Report, Timers } from '../../contract/ports.ts'
import type { Ask } from './ask-node.ts'
import { addLot, type KeyQuestion, type NodeKeys, readLot } from './key-lots.ts'
import { aboutAnswer, aboutQuestion, keysPath } from './node-routes.ts'
import type { Owner } from './route.ts'
import { openLetter, sealLetter } from './sealed-letter.ts'

type Deps = {
  owner(): Owner
  keys: Pick<NodeKeys, 'have' | 'store'>
  /** The key that seals stream keys on their way. */
  key: Uint8Array
  ask: Ask
  node: { name: string; url: string }
  timers: Timers
  report: Report
  /** Milliseconds between two questions while nothing is missing. */
  everyMs?: number
}

const reasonOf = (error: unknown): string => {
  const { message, cause } = error as Error & { cause?: Error }
  return cause?.message || message
}

export const createKeyExchange = ({ owner, keys, key, ask, node, timers, report, everyMs = 250 }: Deps) => {
  const stopping = new AbortController()
  let wake = (): void => {}
  let isFailing = false
  /**
   * The keys that this node has. To count them, the whole key file is read, so the counts stay until they may be wrong.
   */
  let have: Map<number, number> | undefined

  const failed = (error: unknown, url: string): void => {
    if (isFailing || stopping.signal.aborted) return
    isFailing = true
    report('warn', 'this standby gets no keys from the owner, and could not take over', {
      url,
      error: reasonOf(error),
    })
  }
  /** Asks the node at `url` once. Resolves to whether that node gave keys that were missing here. */
  const fetchLot = async (url: string): Promise<boolean> => {
    have ??= new Map(keys.have().map(({ epoch, upTo }) => [epoch, upTo]))
    const asking = have
    const question: KeyQuestion = { have: [...asking], node: node.name, url: node.url }
    const { bytes, nonce } = await ask(url, {
      method: 'POST',
      path: keysPath,
      body: number => sealLetter(key, aboutQuestion(number), question),
      signal: stopping.signal,
    })
    const lot = readLot(openLetter(key, aboutAnswer(nonce), bytes))
    if (lot.length > 0) keys.store(lot)
    isFailing = false
    return addLot(asking, lot)
  }
  const askOnce = async (): Promise<boolean> => {
    const now = owner()
    if (typeof now !== 'object') return false
    return fetchLot(now.url).catch(error => {
      failed(error, now.url)
      return false
    })
  }
  const pause = (): Promise<void> =>
    new Promise(resolve => {
      const cancel = timers.after(everyMs, () => wake())
      wake = () => {
        cancel()
        resolve()
      }
    })
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      // The question after a lot comes at once, since it tells the owner that the lot is here.
      if (!(await askOnce()) && !stopping.signal.aborted) await pause()
    }
  }
  const running = run()
  return {
    /** Another node may be the owner now: it is asked at once. */
    changed(): void {
      have = undefined
      wake()
    },
    /** Resolves when nothing is asked any more. */
    stop(): Promise<void> {
      stopping.abort()
      wake()
      return running
    },
  }
}
