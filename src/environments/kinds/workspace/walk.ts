// Everything below a folder, by name, without following links.
import { type Dirent, lstatSync, readdirSync, type Stats } from 'node:fs'
import path from 'node:path'
import { telling } from './inside.ts'

export type Entry = { path: string; real: string; stats: Stats }

export const byName = (a: Dirent, b: Dirent): number => (a.name < b.name ? -1 : 1)

const fail = (error: unknown): never => {
  throw error
}
/** For a walk that goes past what cannot be read. */
export const goOn = (): void => {}

/**
 * Each folder comes before what is in it. `path` is relative to the root. What may not be read, or has a name that is
 * no UTF-8, is an error unless `failed` takes it.
 */
export function* walk(root: string, failed: (error: unknown) => void = fail, below = ''): Generator<Entry> {
  const tried = <Answer>(name: string, job: () => Answer): Answer | undefined => {
    try {
      return telling(name, job)
    } catch (error) {
      failed(error)
      return undefined
    }
  }
  const folder = path.join(root, below)
  const entries = tried(below || '.', () => readdirSync(folder, { withFileTypes: true })) ?? []
  for (const entry of entries.sort(byName)) {
    const inside = path.join(below, entry.name)
    const real = path.join(root, inside)
    const stats = tried(inside, () => lstatSync(real))
    if (stats === undefined) continue
    yield { path: inside, real, stats }
    if (stats.isDirectory()) yield* walk(root, failed, inside)
  }
}
