// Lists everything below a folder, sorted by name. Does not follow links.
import { type Dirent, lstatSync, readdirSync, type Stats } from 'node:fs'
import path from 'node:path'
import { namingPath } from './inside.ts'

export type Entry = { path: string; real: string; stats: Stats }

export const byName = (a: Dirent, b: Dirent): number => (a.name < b.name ? -1 : 1)

const fail = (error: unknown): never => {
  throw error
}
/** A value for `failed` of `walk`: ignores errors, so that the walk continues after an entry that cannot be read. */
export const goOn = (): void => {}

/**
 * Each folder comes before its contents. `path` is relative to the root. An entry that may not be read, or whose name
 * is not valid UTF-8, is an error unless `failed` handles it.
 */
export function* walk(root: string, failed: (error: unknown) => void = fail, below = ''): Generator<Entry> {
  const tried = <Answer>(name: string, job: () => Answer): Answer | undefined => {
    try {
      return namingPath(name, job)
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
