// Lets a thread look at the processes of users. The thread starts at the first look and ends when nothing is watched.
import type { Worker } from 'node:worker_threads'
import { startThread } from '../platform/thread.ts'
import type { Seen } from './look.ts'
import type { Looked, Watched } from './look-thread.ts'

export type Lookout = {
  /** Resolves with the processes that belong to the watched ones. Call it again only after the promise has settled. */
  look(watched: Watched): Promise<Seen[]>
  end(): void
}

export const createLookout = (): Lookout => {
  let thread: Worker | undefined
  let waiting: { resolve: (seen: Seen[]) => void; reject: (error: Error) => void } | undefined

  const gone = (ended: Worker, why: string) => {
    if (thread !== ended) return
    thread = undefined
    waiting?.reject(new Error(why))
  }
  const start = (): Worker => {
    const started = startThread('look-thread.mjs', { resourceLimits: { maxOldGenerationSizeMb: 64 } })
    started.on('message', (looked: Looked) => {
      if ('failure' in looked) waiting?.reject(new Error(looked.failure))
      else waiting?.resolve(looked.seen)
    })
    started.on('error', error => gone(started, error.message))
    started.on('exit', () => gone(started, 'the thread that looks at processes has ended'))
    started.unref() // after the listeners are added, because adding one keeps the process alive
    return started
  }

  return {
    look(watched) {
      thread ??= start()
      const own = thread
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        own.postMessage(watched)
      })
    },
    end() {
      if (thread === undefined) return
      void thread.terminate()
      gone(thread, 'nothing is watched any more')
    },
  }
}
