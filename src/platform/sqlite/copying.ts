// Asks the one thread of this process that copies WALs. The thread serves all databases, since each further thread
// would need a start and a heap of its own. It starts with the first copy and runs until the process ends.
import type { Worker } from 'node:worker_threads'
import { startThread } from '../threads/thread.ts'
import type { Request } from './checkpoint-thread.ts'

let thread: Worker | undefined
/** What to call at the answers of the thread, in the order of the requests. */
const waiting: (() => void)[] = []

const start = (): Worker => {
  const started = startThread('checkpoint-thread.mjs', {})
  const gone = () => {
    if (thread !== started) return
    thread = undefined
    for (const done of waiting.splice(0)) done()
  }
  started.on('message', () => waiting.shift()?.())
  started.on('error', gone).on('exit', gone)
  started.unref() // only after `on`, which keeps the process alive
  return started
}

/** Resolves when the thread has answered, or when it has died and its connections are closed. */
const ask = (to: Worker, request: Request): Promise<void> =>
  new Promise(done => {
    waiting.push(done)
    to.postMessage(request)
  })

/** Copies the WAL of a database. The copy does not keep the process from ending. */
export const copyWal = (request: Omit<Request & { ask: 'copy' }, 'ask'>): Promise<void> => {
  thread ??= start()
  return ask(thread, { ask: 'copy', ...request })
}

/** How many databases are being closed. The process does not end before they are closed. */
let closing = 0

/** Lets the thread close its connection to a database. */
export const closeWal = async (database: number): Promise<void> => {
  if (thread === undefined) return
  closing++
  thread.ref()
  await ask(thread, { ask: 'close', database })
  closing--
  if (closing === 0) thread?.unref()
}
