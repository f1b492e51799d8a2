// Appends records of the owner to the shared log, one behind the other, without waiting for the answer to the previous
// one. When a record fails, all records behind it fail, too.
import { type Content, packContent } from '../records/content.ts'
import { sealRecord } from '../records/form.ts'
import { inParts } from '../records/parts.ts'
import type { SharedLog } from '../shared-log.ts'
import type { Mark } from './reader.ts'

/** `tip`: the place behind which the first record is appended. */
export const createPublisher = (shared: SharedLog, key: Buffer, tip: Mark) => {
  let { sequence, digest } = tip
  let failure: { error: unknown } | undefined

  const append = (content: Uint8Array): Promise<void> => {
    const record = sealRecord(key, digest, content)
    const expected = sequence
    digest = record.digest
    sequence++
    return shared.append(expected, record.bytes)
  }
  return {
    /**
     * Appends a content. Its place in the log is fixed when this returns. Resolves to the place of its last record,
     * when a majority of the servers has stored it. Rejects with Fenced or Unknown.
     */
    publish(content: Content): Promise<Omit<Mark, 'position'>> {
      if (failure !== undefined) return Promise.reject(failure.error)
      const appends = inParts(packContent(content), shared.maxBytes).map(append)
      const mark = { sequence, valid: sequence, digest }
      const stored = Promise.all(appends).then(() => mark)
      stored.catch(error => {
        failure ??= { error }
      })
      return stored
    },
  }
}
export type Publisher = ReturnType<typeof createPublisher>
