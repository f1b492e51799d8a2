// The thread that opens long payloads: it reads their pieces, parses them and computes their digests, one after another.
import { workerData } from 'node:worker_threads'
import { type Carried, carried } from '../../../contract/json/exact-number.ts'
import { DamagedEvent } from '../../../contract/stored.ts'
import { isCorrupt } from '../../../platform/sqlite/errors.ts'
import { answerQuestions } from '../../../platform/threads/answer-questions.ts'
import { threadGivesWay } from '../../../platform/threads/give-way.ts'
import { openPayload } from '../../decode.ts'
import type { Opened } from '../../store.ts'
import { openForReading } from '../sqlite-file.ts'
import { longPayloadsOf } from './long-text.ts'

export type Wanted = { position: number; salt: string }
/** Undefined when the event has no long payload. */
export type Found = (Opened & { data: Carried }) | undefined

const { path } = workerData as { path: string }
const payloads = longPayloadsOf(openForReading(path))

const found = ({ position, salt }: Wanted): Found => {
  try {
    const text = payloads.textOf(position)
    if (text === undefined) return undefined
    const opened = openPayload(position, salt, text)
    return { ...opened, data: carried(opened.data) }
  } catch (error) {
    throw isCorrupt(error) ? new DamagedEvent(position, 'cannot be read from the file') : error
  }
}

threadGivesWay('all')
answerQuestions(found)
