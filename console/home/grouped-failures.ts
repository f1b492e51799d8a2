// Failures of the last day, grouped by their error, and which of them somebody has dismissed. The browser remembers that,
// by the ids of the tasks, so a new failure with the same error is shown.
import { signal } from '@preact/signals'
import { root } from '../api/address.ts'
import { hrefOf } from '../api/router.ts'
import type { Row } from './rows.ts'

/** A failed task needs attention for this many minutes: a day. */
export const day = 24 * 60

/** The newest of the tasks that failed for one reason, and the others. */
export type Failures = { newest: Row; others: readonly Row[] }

const changing = /\b[0-9a-f]{8,}(?:-[0-9a-f]+)*\b|\d+/gi
/** What errors of one reason have in common: numbers and ids differ from task to task. */
const reasonOf = ({ error }: Row): string =>
  `${error?.code ?? ''} ${(error?.message ?? '').replace(changing, '#')}`

export const failuresOf = (rows: readonly Row[]): Failures[] => {
  const groups = new Map<string, Row[]>()
  for (const row of rows) groups.set(reasonOf(row), [...(groups.get(reasonOf(row)) ?? []), row])
  return [...groups.values()].flatMap(([newest, ...others]) => (newest ? [{ newest, others }] : []))
}

/** The list of all failures of the last day with this reason: they have the longest part of the error that is no number. */
export const listOf = ({ newest }: Failures): string => {
  const parts = (newest.error?.message ?? '').split(changing).map(part => part.trim())
  const error = parts.toSorted((a, b) => b.length - a.length)[0]?.slice(0, 200) ?? ''
  return hrefOf('/', new URLSearchParams({ status: 'failed', minutes: String(day), error }))
}

/** Another server may be at another path of this host. */
const key = `reprise-dismissed ${root}`
type Kept = Record<string, number>

const stored = (): Kept => {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? '{}') as Kept
    const oldest = Date.now() / 1000 - 2 * day * 60
    return Object.fromEntries(Object.entries(kept).filter(([, at]) => at > oldest))
  } catch {
    return {} // a browser that keeps nothing
  }
}
/** The dismissed tasks, with the time at which each was created. */
export const dismissed = signal<Kept>(stored())

const keep = (kept: Kept): void => {
  dismissed.value = kept
  try {
    localStorage.setItem(key, JSON.stringify(kept))
  } catch {}
}
export const dismiss = ({ newest, others }: Failures): void =>
  keep({
    ...stored(),
    ...Object.fromEntries([newest, ...others].map(({ id, created_at }) => [id, created_at])),
  })
export const showDismissed = (): void => keep({})
