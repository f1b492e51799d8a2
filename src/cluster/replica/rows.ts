// Compares rows of the shared log with the rows that a node has, and finds the rows that the node lacks.
import { closeHeader, digestAt, digestChars, leafOf } from '../../log/leaf.ts'
import type { PackedBatch, Store } from '../../log/store.ts'
import type { OpenedEvents } from '../records/packed-events.ts'
import { Divergence } from './errors.ts'

type Rows = OpenedEvents['batch']

/** The last position of a batch. */
export const endOf = ({ first, streamNos }: PackedBatch): number => first + streamNos.length - 1

/**
 * Throws Divergence when the batch and the node have different rows at the newest position that both have. `head`: the
 * last position of the node.
 */
export const mustAgree = (local: Pick<Store, 'leafAt'>, head: number, batch: Rows): void => {
  const position = Math.min(head, endOf(batch))
  const n = position - batch.first
  if (n < 0) return
  const leaf = leafOf(closeHeader(batch.texts[3 * n] ?? '', digestAt(batch.digests, n)))
  if (local.leafAt(position) !== leaf) throw new Divergence(position, 'has another event than the shared log')
}

/** The part of a batch behind a position. `lastStreamNo`: the node knows the streams up to this number. */
export const behind = (batch: Rows, position: number, lastStreamNo: number): Rows => {
  const known = position - batch.first + 1
  if (known <= 0) return batch
  const isNew = (each: { position: number }): boolean => each.position > position
  return {
    first: position + 1,
    streamNos: batch.streamNos.slice(known),
    revisions: batch.revisions.slice(known),
    texts: batch.texts.slice(3 * known),
    newStreams: batch.newStreams.filter(({ no }) => no > lastStreamNo),
    long: batch.long.filter(isNew),
    erasures: batch.erasures.filter(isNew),
    gone: (batch.gone ?? []).filter(isNew),
    digests: batch.digests.slice(digestChars * known),
  }
}
