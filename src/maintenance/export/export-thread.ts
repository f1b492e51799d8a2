// The thread that makes an export for a caller over the network. It writes one file at a time, and waits until that file
// was sent, so that an export needs no more disk than its largest file.
import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { threadGivesWay } from '../../platform/threads/give-way.ts'
import type { Subject } from '../../proof/export/format.ts'
import { Misfit } from '../../proof/misfit.ts'
import type { Hash } from '../../proof/tree/hash.ts'
import { exportLog, NothingToExport } from './export-log.ts'

/** `checkpoint`: the checkpoint that proves the export. `owner`: see `Source` in export-log.ts. */
export type ExportThreadData = {
  log: string
  tiles: string
  folder: string
  subject: Subject
  owner: string | undefined
  checkpoint: { size: number; root: Hash; text: string }
}

/** Says that a file or the whole export is complete, or why it failed. `nothing`: there is nothing to export. */
export type ExportNews =
  | { file: string; stream: string | undefined }
  | { done: true }
  | { nothing: string }
  | { misfit: string; position: number | undefined }
  | { error: string }

const { log, tiles, folder, subject, owner, checkpoint } = workerData as ExportThreadData
threadGivesWay('all')
const tell = (news: ExportNews): void => parentPort?.postMessage(news)

const newsOf = (error: unknown): ExportNews => {
  if (error instanceof NothingToExport) return { nothing: error.message }
  if (error instanceof Misfit) return { misfit: error.message, position: error.position }
  return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
}

const { size, root, text } = checkpoint
exportLog({ log, tiles, owner, choose: async () => ({ size, root, sign: () => text }) }, subject, folder, {
  onStep: () => {},
  async onFile(file, stream) {
    if (parentPort === null) return
    const next = once(parentPort, 'message')
    tell({ file, stream })
    await next
  },
})
  .then(
    () => tell({ done: true }),
    error => tell(newsOf(error)),
  )
  .finally(() => parentPort?.close())
