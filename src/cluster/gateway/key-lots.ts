// Writes and reads the lots in which the owner hands stream keys to a standby. A lot has keys that the standby lacks.

import type { Introduction } from '../introduction.ts'

export type SentKey = {
  epoch: number
  n: number
  /** Null: the key was destroyed. */
  key: Buffer | null
}

/** The keys of a node. */
export type NodeKeys = {
  /** For each epoch: the number up to which this node has the keys without a hole. */
  have(): { epoch: number; upTo: number }[]
  /** Up to `limit` keys that another node lacks; `have` says which keys it has. Empty: it has all keys. */
  missing(have: readonly { epoch: number; upTo: number }[], limit: number): SentKey[]
  /** Stores keys of another node. They are on the disk when this returns. */
  store(keys: readonly SentKey[]): void
  /** Notes that another node has the keys of this epoch up to `n`. */
  shared(epoch: number, n: number): void
}

/** Pairs of an epoch and the number up to which a node has its keys. */
export type Have = [epoch: number, upTo: number][]
/** What a standby asks. `sequence`: the last record of the shared log that it has. */
export type KeyQuestion = { have: Have; url: string; sequence: number; from: Introduction }
/** What the owner answers. `isTaken`: another process has the name of the standby, so that it gets no keys. */
export type KeyAnswer = { lot: WrittenKey[]; from: Introduction; isTaken: boolean }

/** The largest number of keys in a lot. */
export const perLot = 1024

/**
 * Adds stored keys to the counts in `have`, as far as they follow without a hole. Returns whether a count has changed.
 */
export const addLot = (have: Map<number, number>, lot: readonly SentKey[]): boolean => {
  let isChanged = false
  for (const { epoch, n } of lot) {
    if (n !== (have.get(epoch) ?? 0) + 1) continue
    have.set(epoch, n)
    isChanged = true
  }
  return isChanged
}

export type WrittenKey = [epoch: number, n: number, key: string | null]

export const writeLot = (lot: readonly SentKey[]): WrittenKey[] =>
  lot.map(({ epoch, n, key }) => [epoch, n, key === null ? null : key.toString('base64')])

/** `written` was sealed by a node of this cluster, so its form is not checked again. */
export const readLot = (written: unknown): SentKey[] =>
  (written as WrittenKey[]).map(([epoch, n, key]) => ({
    epoch,
    n,
    key: key === null ? null : Buffer.from(key, 'base64'),
  }))
