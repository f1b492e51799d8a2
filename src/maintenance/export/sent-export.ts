// Makes exports for callers over the network: an archive whose parts are made while it is sent.
import { once } from 'node:events'
import { mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { ChangedMeanwhile } from '../../contract/changed-meanwhile.ts'
import { Refusal } from '../../contract/refusals.ts'
import { DamagedEvent } from '../../contract/stored.ts'
import { archiveOf } from '../../platform/files/tar.ts'
import { startThread } from '../../platform/threads/thread.ts'
import type { Subject } from '../../proof/export/format.ts'
import type { Stored } from '../../proof/signer.ts'
import type { ExportNews, ExportThreadData } from './export-thread.ts'

/** `owner`: only streams of this user are exported. `shows`: called with each stream before the stream is sent. */
export type WantedExport = { subject: Subject; owner: string | undefined; shows: (stream: string) => void }

type Deps = {
  files: { log: string; tiles: string; exports: string }
  head: () => number
  /** Waits until the newest checkpoint covers this many events. Undefined if the wait takes too long. */
  covering: (size: number) => Promise<Stored | undefined>
  newId: () => string
}

/** Turns the error of a thread into an error that a route can answer. */
const errorOf = (news: Exclude<ExportNews, { file: string } | { done: true }>): Error => {
  if ('nothing' in news) return new Refusal('TaskNotFound', undefined, news.nothing)
  if ('misfit' in news) return new DamagedEvent(news.position ?? 0, news.misfit)
  return new Error(news.error)
}

/** Yields the name of each complete file, and removes the file before the next one. Throws when the thread fails. */
async function* filesOf(data: ExportThreadData, shows: (stream: string) => void): AsyncGenerator<string> {
  const thread = startThread('export-thread.mjs', { workerData: data })
  thread.unref()
  try {
    for (;;) {
      const [news] = (await once(thread, 'message')) as [ExportNews]
      if ('done' in news) return
      if (!('file' in news)) throw errorOf(news)
      if (news.stream !== undefined) shows(news.stream)
      yield news.file
      rmSync(path.join(data.folder, news.file))
      thread.postMessage('next')
    }
  } finally {
    await thread.terminate()
  }
}

export const createSentExports = ({ files, head, covering, newId }: Deps) => {
  const removeAll = () => rmSync(files.exports, { recursive: true, force: true })
  removeAll() // a killed server may have left some
  let erasures = 0
  return {
    /** Breaks off the exports that are under way, and removes their files, since some of their events were erased. */
    breakOff(): void {
      erasures++
      removeAll()
    },
    /**
     * The bytes of an archive. Its checkpoint covers everything that was stored when the export was requested. Rejects
     * with a Refusal or DamagedEvent.
     */
    async *archive({ subject, owner, shows }: WantedExport): AsyncGenerator<Buffer> {
      const before = erasures
      const checkpoint = await covering(head())
      if (checkpoint === undefined) throw new Refusal('NoCheckpoint')
      const folder = path.join(files.exports, newId())
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const data = { log: files.log, tiles: files.tiles, folder, subject, owner, checkpoint }
      try {
        for await (const bytes of archiveOf(folder, filesOf(data, shows))) {
          if (erasures !== before) throw new ChangedMeanwhile()
          yield bytes
        }
      } catch (error) {
        throw erasures === before ? error : new ChangedMeanwhile()
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    },
  }
}
export type SentExports = ReturnType<typeof createSentExports>
