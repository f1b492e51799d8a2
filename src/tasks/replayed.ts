// Compares a task folded from its events with the stored task, item by item, so that even the longest task does not
// block the event loop.

import { createHash } from 'node:crypto'
import { canonical } from '../contract/json/canonical.ts'
import { readJson } from '../contract/json/exact-json.ts'
import { canonicalPieces } from '../contract/json/json-pieces.ts'
import { isLongerThan } from '../contract/json/length.ts'
import type { Task } from '../contract/wire.ts'
import type { Pause } from '../fairness/slices.ts'

type Mismatch = { field: string; stored: unknown; replayed: unknown }

/** The greatest length of a shown value, in characters. */
const shownAtMost = 1024 * 1024
const shown = (value: unknown): unknown =>
  isLongerThan(value, shownAtMost) ? `[longer than ${shownAtMost} characters]` : (value ?? null)

/**
 * `stored`: JSON texts. The first has the fields without the output, each further text is an item. An item without a
 * text is stored only in the log, so it cannot differ.
 */
export const compared = async (
  stored: AsyncIterable<string | undefined>,
  { output, ...fields }: Task,
  pause: Pause,
): Promise<{ state_hash: string; mismatches: Mismatch[] }> => {
  const mismatches: Mismatch[] = []
  const replayed: Record<string, unknown> = fields
  const items: { stored: unknown[]; replayed: unknown[] } = { stored: [], replayed: [] }
  let n = -1
  for await (const text of stored) {
    const value = text === undefined ? {} : (readJson(text) as Record<string, unknown>)
    if (text === undefined && n < output.length) {
      n++
      continue
    }
    if (n === -1) {
      for (const field of new Set([...Object.keys(value), ...Object.keys(replayed)])) {
        if (canonical(value[field]) === canonical(replayed[field])) continue
        mismatches.push({ field, stored: shown(value[field]), replayed: shown(replayed[field]) })
      }
    } else if (n >= output.length || canonical(value) !== canonical(output[n])) {
      items.stored.push(value)
      if (n < output.length) items.replayed.push(output[n])
    }
    n++
    await pause()
  }
  items.replayed.push(...output.slice(Math.max(n, 0)))
  if (items.stored.length + items.replayed.length > 0) {
    mismatches.push({ field: 'output', stored: shown(items.stored), replayed: shown(items.replayed) })
  }
  return { state_hash: await hashOf({ ...fields, output }, pause), mismatches }
}

/** SHA-256 of the canonical text of a task. */
const hashOf = async (task: Task, pause: Pause): Promise<string> => {
  const hash = createHash('sha256')
  let before = '{'
  for (const key of Object.keys(task).sort()) {
    hash.update(`${before}${JSON.stringify(key)}:`)
    before = ','
    if (key !== 'output') hash.update(canonical(task[key as keyof Task]))
    else {
      hash.update('[')
      for (const [n, item] of task.output.entries()) {
        if (n > 0) hash.update(',')
        for (const piece of canonicalPieces(item)) {
          hash.update(piece)
          await pause()
        }
      }
      hash.update(']')
    }
  }
  return hash.update('}').digest('base64url')
}
