// Opens long payloads in a thread, so that no other caller waits meanwhile. The thread ends when it has been idle for a
// while, because it would otherwise keep the memory that its last payloads needed.
import type { Worker } from 'node:worker_threads'
import { arrived } from '../contract/exact-number.ts'
import { DamagedEvent } from '../contract/stored.ts'
import { startThread } from '../platform/thread.ts'
import type { Found, Wanted } from './long-thread.ts'
import type { Opened } from './store.ts'

/** Milliseconds without work after which the thread ends. */
const defaultIdleMs = 10_000

const ended = () => new Error('the thread that reads long payloads ended')

type Waiting = { position: number; resolve: (opened: Opened) => void; reject: (error: Error) => void }

export const createLongReader = (path: string, idleMs = defaultIdleMs) => {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let asked = 0
  let idle: NodeJS.Timeout | undefined

  const rejectAll = (error: Error): void => {
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }
  const answered = (found: Found) => {
    const reader = waiting.get(found.id)
    waiting.delete(found.id)
    if (waiting.size === 0) {
      idle = setTimeout(() => void end(), idleMs).unref()
      worker?.unref()
    }
    if (reader === undefined) return
    if ('error' in found) reader.reject(new Error(found.error))
    else if ('damage' in found) reader.reject(new DamagedEvent(reader.position, found.damage))
    else if (found.opened === undefined) reader.reject(new DamagedEvent(reader.position, 'has no payload'))
    else reader.resolve({ ...found.opened, data: arrived(found.opened.data) })
  }
  const start = (): Worker => {
    const started = startThread('long-thread.mjs', { workerData: { path } })
    const gone = (error: Error) => {
      if (worker !== started) return
      worker = undefined
      rejectAll(error)
    }
    started.on('message', answered).on('error', gone)
    started.on('exit', () => gone(ended()))
    return started
  }
  const end = async (): Promise<void> => {
    clearTimeout(idle)
    const last = worker
    worker = undefined // a reader that comes before the thread has ended starts another one
    rejectAll(ended())
    await last?.terminate()
  }

  return {
    /** Opens the long payload of the event at a position. Rejects with DamagedEvent, or when the thread fails. */
    open: (position: number, salt: string): Promise<Opened> =>
      new Promise((resolve, reject) => {
        clearTimeout(idle)
        worker ??= start()
        worker.ref()
        const id = ++asked
        waiting.set(id, { position, resolve, reject })
        worker.postMessage({ id, position, salt } satisfies Wanted)
      }),
    /** Ends the thread. Readers that wait get an error. */
    close: end,
  }
}
