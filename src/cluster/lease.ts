// The lease: the node that holds it may own the log. A thread sends the beats of this node. To know whether this node
// holds the lease now, the main thread looks at memory that both threads share.
import type { Worker } from 'node:worker_threads'
import type { NatsSettings } from '../bus/nats/nats-settings.ts'
import type { Report, Timers } from '../contract/ports.ts'
import { startThread } from '../platform/threads/thread.ts'

import type { LeaseData, LeaseOrder, LeaseReply } from './lease-messages.ts'
import type { LeaseNews, LeaseState } from './seen-beats.ts'

export type Lease = {
  /**
   * Whether this node holds the lease at this moment. It looks at the clock, so the answer is right even after a long
   * pause.
   */
  isMine(): boolean
  /** The node that holds the lease, by its newest beat; undefined: no node holds it. */
  holder(): { name: string; url: string } | undefined
  /** Whether the servers do not answer the beats of this node, so that it can neither take nor keep the lease. */
  isUnanswered(): boolean
  /** Whether the last holder has given the lease away, and no node has taken it since. */
  isGiven(): boolean
  /** Sets whether this node takes the lease when it is free. Before the first call, it does not. */
  want(isWanted: boolean): void
  /** Calls `listener` with the state whenever the state or the holder changes. */
  onChange(listener: (now: LeaseState) => void): void
  /**
   * Gives the lease away, so that another node can take it at once. This node does not take it until `want` is called.
   * Resolves when the thread has told the other nodes or cannot reach them, or after two seconds.
   */
  release(): Promise<void>
  close(): Promise<void>
}

export type LeaseDeps = {
  settings: NatsSettings
  shard?: number
  node: { name: string; url: string }
  /** `beatMs`: milliseconds between two beats. `leaseMs`: milliseconds for which a beat counts. */
  beatMs?: number
  leaseMs?: number
  /** False: `isMine` is always true. For tests that show that the log by itself refuses a former owner. */
  isChecked?: boolean
  timers: Timers
  report: Report
}

const usualBeatMs = 500
const usualLeaseMs = 2300
/** Milliseconds that a release or an end may take. Then nobody waits for it any longer. */
const patienceMs = 2000
/** Milliseconds until a thread that has failed is started again. */
const againMs = 1000

export const openLease = (deps: LeaseDeps): Lease => {
  const { settings, shard = 0, node, beatMs = usualBeatMs, leaseMs = usualLeaseMs, timers, report } = deps
  const until = new BigInt64Array(new SharedArrayBuffer(8))
  const data: LeaseData = { settings, shard, node, beatMs, leaseMs, until }
  const listeners: ((now: LeaseState) => void)[] = []
  /** What to call when an order has been carried out. */
  const waiting = new Map<number | 'close', () => void>()
  let orders = 0
  let isWanted = false
  let isGivenAway = false
  let isClosing = false
  let news: LeaseNews = { state: 'free', holder: undefined, isGiven: false }
  let isUnanswered = false
  let thread: Worker

  const learn = (latest: LeaseNews): void => {
    news = latest
    for (const listener of listeners) listener(latest.state)
  }
  const done = (order: number | 'close'): void => {
    waiting.get(order)?.()
    waiting.delete(order)
  }
  const hear = (reply: LeaseReply): void => {
    if (reply === 'closed') done('close')
    else if ('news' in reply) learn(reply.news)
    else if ('report' in reply) report(...reply.report)
    else if ('answered' in reply) isUnanswered = !reply.answered
    else done(reply.released)
  }
  const order = (what: LeaseOrder) => thread.postMessage(what)
  const start = (): void => {
    if (isClosing) return
    isUnanswered = false // a new thread tells it when it is so
    thread = startThread('lease-thread.mjs', { workerData: data })
    thread.on('message', hear)
    thread.on('error', error =>
      report('error', 'the thread of the lease has failed and is started again', { error: error.stack }),
    )
    thread.on('exit', () => {
      Atomics.store(until, 0, 0n)
      if (isClosing) return done('close')
      learn({ state: 'free', holder: undefined, isGiven: false })
      timers.after(againMs, start)
      return undefined
    })
    order({ want: isWanted })
  }
  /** Resolves when the thread has carried out an order, or after `patienceMs`. */
  const carriedOut = (key: number | 'close', what: LeaseOrder): Promise<void> =>
    new Promise(resolve => {
      waiting.set(key, resolve)
      timers.after(patienceMs, () => done(key))
      order(what)
    })
  start()
  return {
    isMine: () =>
      deps.isChecked === false || (!isGivenAway && process.hrtime.bigint() < Atomics.load(until, 0)),
    holder: () => news.holder,
    isGiven: () => news.isGiven,
    isUnanswered: () => isUnanswered,
    want(wanted) {
      isWanted = wanted
      if (wanted) isGivenAway = false
      order({ want: wanted })
    },
    onChange: listener => void listeners.push(listener),
    release() {
      isWanted = false
      isGivenAway = true
      return carriedOut(++orders, { release: orders })
    },
    async close() {
      isClosing = true
      await carriedOut('close', 'close')
      await thread.terminate()
    },
  }
}
