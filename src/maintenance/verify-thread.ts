// A thread that verifies ranges of a log, and says what SQLite finds wrong with the whole file.
import { parentPort, workerData } from 'node:worker_threads'
import { openStoredRows } from '../log/stored-rows.ts'
import { erasuresOf } from './log-erasures.ts'
import { type Part, partsOf, type Wanted } from './verify-range.ts'

/** A range of positions to verify, or the question whether SQLite finds a fault in the file. */
export type Asked = Wanted | 'fault'
export type Answered = { parts: Part[] } | { fault: string | undefined } | { error: string }

const rows = openStoredRows((workerData as { log: string }).log)
const erasures = erasuresOf(rows)

const answerTo = (asked: Asked): Answered => {
  try {
    if (asked === 'fault') return { fault: rows.fileFault() }
    return { parts: [...partsOf(rows, erasures, asked)] }
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

parentPort?.on('message', (asked: Asked) => parentPort?.postMessage(answerTo(asked)))
