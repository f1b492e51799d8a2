// Writes the table of requests: what an earlier request made, whatever its kind.
import type { Recorded } from '../../src/contract/stored.ts'
import type { Eraser } from '../erasing/table.ts'
import type { Projection } from '../folding.ts'
import { rowInserter } from '../row-writer.ts'
import type { ReadStore } from '../store.ts'
import { aboutRequest, createUnwrittenTopics } from '../topics.ts'
import { requestIn } from './in-event.ts'

const remover = (store: ReadStore) => store.prepare<[string]>('DELETE FROM requests WHERE stream = ?')

/** An erased thing takes its requests along. */
export const requestEraser = (store: ReadStore): Eraser => {
  const remove = remover(store)
  return stream => void remove.run(stream)
}

type Row = {
  scope: string
  principal: string
  key: string
  position: number
  digest: string
  made: string
  stream: string
  time: number
}

const rowIn = (stored: Recorded): Row | undefined => {
  const request = requestIn(stored)
  if (request === undefined) return undefined
  const { stream, principal, time } = stored.header
  const { scope, key = '', digest, made } = request
  return { scope, principal, key, position: stored.position, digest, made, stream, time: Date.parse(time) }
}

export const requestsProjection = (store: ReadStore): Projection => {
  const insert = rowInserter(store, 'requests')
  const remove = remover(store)
  /** Rows to write, and streams of webhooks whose requests are to be forgotten, in the order of their events. */
  let due: (Row | string)[] = []
  const topics = createUnwrittenTopics()
  const settle = (): void => {
    due = []
    topics.clear()
  }
  return {
    fold(events) {
      for (const stored of events) {
        const row = rowIn(stored)
        if (row !== undefined) {
          due.push(row)
          topics.add(aboutRequest(row, row.key))
        }
        // The key of a deleted webhook is free again.
        if (stored.header.type !== 'WebhookDeleted') continue
        due.push(stored.header.stream)
        topics.addAll() // the event does not name the key, so this may concern any key
      }
    },
    write() {
      for (const each of due) {
        if (typeof each === 'string') remove.run(each)
        else insert(each)
      }
      settle()
    },
    lacks: topics.has,
    forget: settle,
  }
}
