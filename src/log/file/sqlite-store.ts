// A log in a SQLite file: a separate thread writes, and a connection in this thread reads.

import { realpathSync } from 'node:fs'
import { type Checkpoints, createCheckpoints } from '../../platform/sqlite/checkpoints.ts'
import { createAskedThread } from '../../platform/threads/asked-thread.ts'
import type { Destroyed, Store, Wiped } from '../store.ts'
import { writing } from './in-words.ts'
import { createLongReader } from './long/long-reader.ts'
import { openForWriting } from './sqlite-file.ts'
import { sqliteReader } from './sqlite-reader.ts'
import { watchFile } from './watch.ts'
import type { Answer, Request } from './writer-thread.ts'

/** About the bytes of the page that an event without its payload leaves in the WAL. */
const bytesPerEvent = 2048

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
  const writer = createAskedThread<Request, Answer>('writer-thread.mjs', {
    name: 'the writer thread',
    worker: { workerData: { path: real }, trackUnmanagedFds: false },
    keepsAlive: 'always',
  })
  writer.start()
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
  const empties = async (ask: Request): Promise<Answer> => {
    emptying++
    try {
      const answer = await writing(writer.ask(ask))
      wal.emptied()
      return answer
    } finally {
      emptying--
    }
  }
  /** Sends a request that writes. The first such request opens the write connection. */
  const writes = async (ask: Request, bytes: number): Promise<Answer> => {
    const answer = await (isOpen ? writing(writer.ask(ask)) : empties(ask))
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
