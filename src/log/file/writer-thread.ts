// The thread that owns the write connection. It answers requests in order: to write a batch, to write or remove pieces
// of a long payload, to destroy erased payloads and their traces, to open the file again and try whether it can be
// written, to empty the WAL, and to close the file.
import { parentPort, workerData } from 'node:worker_threads'
import { answerQuestions } from '../../platform/threads/answer-questions.ts'
import type { Destroyed, ErasureCursor, PackedBatch, Piece, Wiped } from '../store.ts'
import { openForWriting } from './sqlite-file.ts'
import { sqliteWriter, type Writer } from './sqlite-writer.ts'

export type Request =
  | { ask: 'write'; batch: Omit<PackedBatch, 'texts'>; text: string }
  | { ask: 'piece'; piece: Piece }
  | { ask: 'drop'; payload: number }
  | { ask: 'note'; by: number }
  | { ask: 'destroy'; by: number; after: ErasureCursor | undefined }
  | { ask: 'wipe'; isAll: boolean }
  | { ask: 'reopen' }
  | { ask: 'checkpoint' }
  | { ask: 'close' }
/** The result of `destroy` or `wipe`. Other requests have none. */
export type Answer = Destroyed | Wiped | undefined

const { path } = workerData as { path: string }
const noNewLog = (): string => {
  throw new Error(`${path} was removed or emptied while the server ran`)
}

let writer: Writer | undefined
const opened = (): Writer => {
  writer ??= sqliteWriter(openForWriting(path, noNewLog))
  return writer
}
const answers: { [A in Request['ask']]: (request: Extract<Request, { ask: A }>) => Answer | void } = {
  write: ({ batch, text }) => opened().write({ ...batch, texts: text.split('\n') }),
  piece: ({ piece }) => opened().writePiece(piece),
  drop: ({ payload }) => opened().dropPieces(payload),
  note: ({ by }) => opened().noteErasure(by),
  destroy: ({ by, after }) => opened().destroy(by, after),
  wipe: ({ isAll }) => opened().wipe(isAll),
  reopen: () => {
    writer?.close()
    writer = undefined
    opened().probe()
  },
  checkpoint: () => writer?.checkpoint(),
  close: () => {
    writer?.close()
    writer = undefined
  },
}

answerQuestions(
  (request: Request) => answers[request.ask](request as never) || undefined,
  ({ ask }) => {
    writer?.makeRoom()
    if (ask === 'close') parentPort?.close()
  },
)
