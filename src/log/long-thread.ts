// The thread that opens long payloads: it reads their pieces, parses them and computes their digests, one after another.
import { parentPort, workerData } from 'node:worker_threads'
import { type Carried, carried } from '../contract/exact-number.ts'
import { DamagedEvent } from '../contract/stored.ts'
import { threadGivesWay } from '../platform/give-way.ts'
import { isCorrupt } from '../platform/sqlite/corrupt.ts'
import { openPayload } from './decode.ts'
import { longPayloadsOf } from './long-text.ts'
import { openForReading } from './sqlite-file.ts'
import type { Opened } from './store.ts'

export type Wanted = { id: number; position: number; salt: string }
/** `opened` is undefined when the event has no long payload. `damage`: what is wrong with the event. */
export type Found = { id: number } & (
  | { opened: (Opened & { data: Carried }) | undefined }
  | { damage: string }
  | { error: string }
)

const { path } = workerData as { path: string }
const payloads = longPayloadsOf(openForReading(path))

const found = ({ id, position, salt }: Wanted): Found => {
  try {
    const text = payloads.textOf(position)
    if (text === undefined) return { id, opened: undefined }
    const opened = openPayload(position, salt, text)
    return { id, opened: { ...opened, data: carried(opened.data) } }
  } catch (error) {
    if (error instanceof DamagedEvent) return { id, damage: error.why }
    if (isCorrupt(error)) return { id, damage: 'cannot be read from the file' }
    return { id, error: String(error) }
  }
}

threadGivesWay('all')
parentPort?.on('message', (wanted: Wanted) => parentPort?.postMessage(found(wanted)))
