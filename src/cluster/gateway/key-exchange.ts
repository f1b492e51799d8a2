// Brings the stream keys of the owner to a standby, before the owner uses them: without these keys, the standby could
// not take over. The standby asks again and again, and each question says which keys it has on its disk by then.
import type { Timers } from '../../contract/ports.ts'
import type { Conditions } from '../conditions.ts'
import type { Introduction } from '../introduction.ts'
import type { Neighbours } from '../neighbours.ts'
import { type Ask, ClocksDiffer } from './ask-node.ts'
import { addLot, type KeyAnswer, type KeyQuestion, type NodeKeys, readLot } from './key-lots.ts'
import { aboutAnswer, aboutQuestion, keysPath } from './node-routes.ts'
import type { Owner } from './route.ts'
import { openLetter, sealLetter } from './sealed-letter.ts'

type Deps = {
  owner(): Owner
  keys: Pick<NodeKeys, 'have' | 'store'>
  /** The key that seals stream keys on their way. */
  key: Uint8Array
  ask: Ask
  me: Introduction
  /** The URL at which other nodes reach this one. */
  url: string
  /** The last record of the shared log that this node has. */
  sequence(): number
  neighbours: Pick<Neighbours, 'met' | 'untimely' | 'namesake'>
  conditions: Pick<Conditions, 'begin' | 'end' | 'all'>
  timers: Timers
  /** Milliseconds between two questions while nothing is missing. */
  everyMs?: number
}

const reasonOf = (error: unknown): string => {
  const { message, cause } = error as Error & { cause?: Error }
  return cause?.message || message
}

export const createKeyExchange = (deps: Deps) => {
  const { owner, keys, key, ask, me, url, sequence, neighbours, conditions, timers, everyMs = 250 } = deps
  const stopping = new AbortController()
  let wake = (): void => {}
  /**
   * The keys that this node has. To count them, the whole key file is read, so the counts stay until they may be wrong.
   */
  let have: Map<number, number> | undefined

  const failed = (error: unknown, from: string): void => {
    if (stopping.signal.aborted) return
    if (error instanceof ClocksDiffer) return void neighbours.untimely(error.node, error.aheadMs)
    conditions.begin(
      'keys-missing',
      `this standby gets no stream keys from the owner at ${from} (${reasonOf(error)}), and could not take over what is written meanwhile: look whether that node runs, and whether its NODE_URL can be reached from here`,
    )
  }
  /**
   * Called while there is no other owner to ask. A standby whose owner was lost a moment ago has not missed keys. One that
   * has missed keys for a while still does, unless it owns the log itself.
   */
  const idle = (isOwner: boolean): void => {
    const counts = conditions.all().some(({ code }) => code === 'keys-missing')
    if (isOwner || !counts) conditions.end('keys-missing')
  }
  /** Asks the node at `url` once. Resolves to whether that node gave keys that were missing here. */
  const fetchLot = async (from: string): Promise<boolean> => {
    have ??= new Map(keys.have().map(({ epoch, upTo }) => [epoch, upTo]))
    const asking = have
    const question: KeyQuestion = { have: [...asking], url, sequence: sequence(), from: me }
    const { bytes, nonce } = await ask(from, {
      method: 'POST',
      path: keysPath,
      body: number => sealLetter(key, aboutQuestion(number), question),
      signal: stopping.signal,
    })
    const answer = openLetter(key, aboutAnswer(nonce), bytes) as KeyAnswer
    neighbours.met(answer.from)
    if (answer.isTaken) {
      neighbours.namesake(me.node)
      return false
    }
    const lot = readLot(answer.lot)
    if (lot.length > 0) keys.store(lot)
    conditions.end('keys-missing')
    return addLot(asking, lot)
  }
  const askOnce = async (): Promise<boolean> => {
    const now = owner()
    if (typeof now !== 'object') {
      idle(now === 'me')
      return false
    }
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
