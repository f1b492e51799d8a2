// A thread that verifies ranges of a log, and says what its storage finds wrong with what it keeps.
import { workerData } from 'node:worker_threads'
import { openStoredRows } from '../../log/chosen-storage.ts'
import { answerPatiently } from '../../platform/threads/answer-questions.ts'
import { erasuresOf } from './log-erasures.ts'
import { type Part, partsOf, type Wanted } from './verify-range.ts'

/** A range of positions to verify, or the question whether the storage finds a fault of its own. */
export type Asked = Wanted | 'fault'
export type Answered = { parts: Part[] } | { fault: string | undefined }

const rows = openStoredRows((workerData as { log: string }).log)
const erasures = erasuresOf(rows)

answerPatiently(
  async (asked: Asked): Promise<Answered> =>
    asked === 'fault' ? { fault: await rows.fault() } : { parts: await partsOf(rows, erasures, asked) },
)
