// Gives the server the tree of the log: starts a thread that keeps the tree, and sends it requests.
import { createAskedThread } from '../../platform/threads/asked-thread.ts'
import type { Hash } from '../tree/hash.ts'
import type { Question, Questions, Request, TreeThreadData } from './tree-thread.ts'

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

/** The thread starts with the first request. When it dies, its requests fail, and the next request starts it again. */
export const createTree = (data: TreeThreadData): Tree => {
  const thread = createAskedThread<Request, never>('tree-thread.mjs', {
    name: 'the thread of the tree',
    worker: { workerData: data },
    keepsAlive: 'always',
  })
  let closed = false
  const ask = async <Q extends Question>(
    question: Q,
    asks: Questions[Q]['asks'],
  ): Promise<Questions[Q]['answers']> => {
    if (closed) throw new Error('the tree is closed')
    return thread.ask({ question, asks } as Request)
  }

  return {
    ask,
    async grow(to) {
      for (;;) {
        const { size, root } = await ask('grow', { to })
        if (size === to) return root
      }
    },
    async close() {
      if (thread.isStarted()) await ask('close', {}).catch(() => {})
      closed = true
    },
  }
}
