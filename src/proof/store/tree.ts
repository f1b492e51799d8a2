// Gives the server the tree of the log: starts a thread that keeps the tree, and sends it requests.
import type { Worker } from 'node:worker_threads'
import { DamagedEvent } from '../../contract/stored.ts'
import { startThread } from '../../platform/thread.ts'
import type { Hash } from '../tree/hash.ts'
import type { Question, Questions, Reply, Request, TreeThreadData } from './tree-thread.ts'

export type Tree = {
  /** Grows the tree to this size, and resolves to its root. Rejects when the log cannot be read, or after `close`. */
  grow(to: number): Promise<Hash>
  /** Sends a question to the thread. Rejects with DamagedEvent when a damaged event makes an answer impossible. */
  ask<Q extends Exclude<Question, 'grow' | 'close'>>(
    question: Q,
    asks: Questions[Q]['asks'],
  ): Promise<Questions[Q]['answers']>
  close(): Promise<void>
}

type Waiting = { resolve: (answer: never) => void; reject: (error: Error) => void }

/** The thread starts with the first request. When it dies, its requests fail, and the next request starts it again. */
export const createTree = (data: TreeThreadData): Tree => {
  let worker: Worker | undefined
  let asked = 0
  let closed = false
  const waiting = new Map<number, Waiting>()

  const start = (): Worker => {
    const started = startThread('tree-thread.mjs', { workerData: data })
    started.on('message', ({ id, answer, error, damage }: Reply) => {
      const request = waiting.get(id)
      waiting.delete(id)
      if (damage !== undefined) request?.reject(new DamagedEvent(damage.position, damage.why))
      else if (error !== undefined) request?.reject(new Error(error))
      else request?.resolve(answer as never)
    })
    const gone = (error: Error) => {
      if (worker !== started) return
      worker = undefined
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
    }
    started.on('error', gone)
    started.on('exit', () => gone(new Error('the thread of the tree ended')))
    return started
  }
  const ask = <Q extends Question>(
    question: Q,
    asks: Questions[Q]['asks'],
  ): Promise<Questions[Q]['answers']> =>
    new Promise((resolve, reject) => {
      if (closed) return reject(new Error('the tree is closed'))
      worker ??= start()
      const id = ++asked
      waiting.set(id, { resolve, reject })
      worker.postMessage({ id, question, asks } as Request)
    })

  return {
    ask,
    async grow(to) {
      for (;;) {
        const { size, root } = await ask('grow', { to })
        if (size === to) return root
      }
    },
    async close() {
      if (worker !== undefined) await ask('close', {}).catch(() => {})
      closed = true
    },
  }
}
