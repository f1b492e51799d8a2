// A log in a SQLite file: a separate thread writes, and a connection in this thread reads.

import { realpathSync } from 'node:fs'
import type { Worker } from 'node:worker_threads'
import { type Checkpoints, createCheckpoints } from '../platform/sqlite/checkpoints.ts'
import { startThread } from '../platform/thread.ts'
import { createTransientMap } from '../platform/transient.ts'
import { createLongReader } from './long-reader.ts'
import { openForWriting } from './sqlite-file.ts'
import { sqliteReader } from './sqlite-reader.ts'
import type { Destroyed, Store, Wiped } from './store.ts'
import { watchFile } from './watch.ts'
import type { Answer, Reply, Request } from './writer-thread.ts'

/** About the bytes of the page that an event without its payload leaves in the WAL. */
const bytesPerEvent = 2048

type Open<Ask> = Ask extends Request ? Omit<Ask, 'id'> : never

/**
 * Sends requests to a writer thread, which answers them in order. When the thread dies, its unanswered requests fail,
 * and the next request starts a new thread.
 */
const writerThread = (path: string) => {
  let worker: Worker | undefined
  let asked = 0
  const waiting = createTransientMap<
    number,
    { resolve: (answer: Answer) => void; reject: (error: Error) => void }
  >()

  const start = (): Worker => {
    const started = startThread('writer-thread.mjs', { workerData: { path }, trackUnmanagedFds: false })
    started.on('message', ({ id, answer, error }: Reply) => {
      const request = waiting.get(id)
      waiting.delete(id)
      if (error === undefined) request?.resolve(answer)
      else request?.reject(Object.assign(new Error(error.message), { code: error.code }))
    })
    const gone = (error: Error) => {
      if (worker !== started) return // the thread was replaced, and its requests were rejected then
      worker = undefined
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
    }
    started.on('error', gone)
    started.on('exit', () => gone(new Error('the writer thread ended')))
    return started
  }

  const ask = (request: Open<Request>): Promise<Answer> =>
    new Promise((resolve, reject) => {
      worker ??= start()
      const id = ++asked
      waiting.set(id, { resolve, reject })
      worker.postMessage({ id, ...request })
    })

  worker = start()
  return { ask }
}

/**
 * Opens or creates the log file. `others`: further files that nobody may remove or replace, so they are watched, too.
 * Throws CannotStart.
 */
export const sqliteStore = (
  path: string,
  newLogId: () => string,
  others: string[] = [],
  checkpoints: Checkpoints = createCheckpoints(path),
): Store => {
  // The file is checked and created here, so that problems are known before anything else starts.
  openForWriting(path, newLogId).close()
  const real = realpathSync(path) // a link may lead to another disk, and SQLite keeps the WAL there
  const writer = writerThread(real)
  const reader = sqliteReader(path)
  const long = createLongReader(path)
  const main = watchFile(path, true)
  const wal = watchFile(`${real}-wal`, true)
  main.fault()
  const watches = [
    { file: path, watch: main },
    { file: `${real}-wal`, watch: wal },
    ...others.map(file => ({ file, watch: watchFile(file, false) })),
  ]
  let isOpen = false
  let emptying = 0
  /** Sends a request that empties the WAL. Opening the write connection empties it, too. */
  const empties = async (ask: Open<Request>): Promise<Answer> => {
    emptying++
    try {
      const answer = await writer.ask(ask)
      wal.emptied()
      return answer
    } finally {
      emptying--
    }
  }
  /** Sends a request that writes. The first such request opens the write connection. */
  const writes = async (ask: Open<Request>, bytes: number): Promise<Answer> => {
    const answer = await (isOpen ? writer.ask(ask) : empties(ask))
    isOpen = true
    checkpoints.wrote(bytes)
    return answer
  }
  return {
    ...reader,
    openLong: long.open,
    writePiece: async piece => void (await writes({ ask: 'piece', piece }, piece.text.length)),
    dropPieces: async payload => void (await writes({ ask: 'drop', payload }, 0)),
    noteErasure: async by => void (await writes({ ask: 'note', by }, 0)),
    async destroy(by, after) {
      const destroyed = (await writes({ ask: 'destroy', by, after }, 0)) as Destroyed
      checkpoints.wrote(destroyed.events * bytesPerEvent)
      return destroyed
    },
    async wipe(isAll) {
      isOpen = true
      return (await empties({ ask: 'wipe', isAll })) as Wiped
    },
    // Sending one long text to the thread is far cheaper than sending many texts. The texts can be joined by line ends,
    // since neither a text from JSON.stringify nor a salt contains one.
    async write({ texts, ...batch }) {
      const text = texts.join('\n')
      await writes({ ask: 'write', batch, text }, text.length)
    },
    async reopen() {
      await checkpoints.release()
      await empties({ ask: 'reopen' })
    },
    fault() {
      if (emptying > 0) return undefined
      for (const { file, watch } of watches) {
        const what = watch.fault()
        if (what !== undefined) return `${file} ${what} while the server has it open`
      }
      return undefined
    },
    async checkpoint() {
      await empties({ ask: 'checkpoint' })
    },
    async close() {
      await checkpoints.close()
      await long.close()
      await reader.close()
      await writer.ask({ ask: 'close' })
    },
  }
}
