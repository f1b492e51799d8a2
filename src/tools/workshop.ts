// The server's side of the workshop, the process in which the threads of tools run (workshop-process.ts). All threads of
// a process share its locks: those of its memory, of the allocator and of V8. A thread of low priority may be interrupted
// while it has such a lock, and in the server the thread that answers all requests would then wait for the lock.
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { built } from '../platform/built.ts'
import { sessionGivesWay } from '../platform/threads/give-way.ts'
import type { Said } from './job-in-thread.ts'

export type Entry = 'search-thread' | 'javascript-thread'
export type ToWorkshop = { n: number; entry: Entry; job: object } | { n: number; end: true }
export type FromWorkshop = { n: number } & ({ said: Said } | { gone: true })

export type WorkshopThread = {
  /** Ends the thread. Resolves when it is gone. */
  end(): Promise<void>
}
type Known = { hear: (said: Said) => void; gone: () => void }
type Workshop = {
  begin(entry: Entry, job: object, known: Known): () => void
  isIdle(): boolean
  close(): void
}

/** The workshop ends after this many milliseconds without a thread. */
const idleMs = 60_000

const openWorkshop = (onEnd: () => void): Workshop => {
  const threads = new Map<number, Known>()
  let last = 0
  const workshop = fork(fileURLToPath(built('workshop-process.mjs')), {
    env: {},
    execArgv: [],
    detached: true, // in a process session of its own, all its threads together get one share of the processors
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  if (workshop.pid !== undefined) sessionGivesWay(workshop.pid, true)
  const end = () => {
    onEnd()
    for (const { gone } of threads.values()) gone()
    threads.clear()
  }
  workshop.on('message', (message: FromWorkshop) => {
    const known = threads.get(message.n)
    if ('said' in message) return known?.hear(message.said)
    threads.delete(message.n)
    known?.gone()
  })
  workshop.once('error', end).once('exit', end)
  workshop.unref()
  workshop.channel?.unref()
  const tell = (message: ToWorkshop) => workshop.send(message, error => error && end())

  return {
    begin(entry, job, known) {
      const n = ++last
      threads.set(n, known)
      tell({ n, entry, job })
      return () => tell({ n, end: true })
    },
    isIdle: () => threads.size === 0,
    close: () => workshop.connected && workshop.disconnect(),
  }
}

let open: Workshop | undefined
let idle: NodeJS.Timeout | undefined

/**
 * Starts a thread in the workshop, and the workshop itself when there is none. `hear`: called with what the thread says,
 * and with a failure when the thread is gone.
 */
export const beginThread = (entry: Entry, job: object, hear: (said: Said) => void): WorkshopThread => {
  clearTimeout(idle)
  open ??= openWorkshop(() => {
    open = undefined
  })
  const workshop = open
  let isGone = false
  let tellGone = () => {}
  const gone = () => {
    isGone = true
    hear({ failure: 'The thread ended without an answer' })
    tellGone()
    clearTimeout(idle)
    if (open?.isIdle()) idle = setTimeout(() => open?.close(), idleMs).unref()
  }
  const tellToEnd = workshop.begin(entry, job, { hear, gone })
  return {
    end: () =>
      new Promise(resolve => {
        if (isGone) return resolve()
        tellGone = resolve
        tellToEnd()
      }),
  }
}
