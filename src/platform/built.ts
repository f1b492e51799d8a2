// Threads and processes of our own run from the bundle, also where we run from sources: a loader, which each of them
// would load again, takes longer than what they do.
import { readFileSync } from 'node:fs'

const here = new URL('./', import.meta.url)
const isSource = import.meta.url.endsWith('.ts')

/** The folder of package.json. */
export const root = new URL('../../', here)

let folder: URL | undefined
/** The bundle lies in its own folder already; sources take the newest build, and stay with it. */
const folderOfBuild = (): URL => {
  const dist = new URL('dist/', root)
  folder ??= isSource ? new URL(`${readFileSync(new URL('current', dist), 'utf8').trim()}/`, dist) : here
  return folder
}

/** A file that build.mjs makes. Another build leaves it as it is. */
export const built = (name: string): URL => new URL(name, folderOfBuild())
