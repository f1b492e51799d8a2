// Threads and processes that the server starts run from the bundle, even when the server runs from sources: otherwise
// each of them would read hundreds of files, which takes longer than the work of the thread or process.
import { readFileSync, utimesSync } from 'node:fs'

const here = new URL('./', import.meta.url)
const isSource = import.meta.url.endsWith('.ts')

/** The folder of package.json. */
export const root = new URL('../../', here)

let folder: URL | undefined
/**
 * The folder of the bundle. For a server that runs from sources, this is the build that was newest at the first use.
 */
const folderOfBuild = (): URL => {
  const dist = new URL('dist/', root)
  folder ??= isSource ? new URL(`${readFileSync(new URL('current', dist), 'utf8').trim()}/`, dist) : here
  return folder
}

/** A file of the build. A later build does not change it. */
export const built = (name: string): URL => new URL(name, folderOfBuild())

const markMs = 3_600_000
/**
 * Marks the build of this process as used, now and every hour. build.mjs removes builds that nobody has marked for a day.
 */
export const markBuild = (): void => {
  const mark = () => {
    try {
      utimesSync(folderOfBuild(), new Date(), new Date())
    } catch {} // an installed package may be read-only; nobody builds there
  }
  mark()
  setInterval(mark, markMs).unref()
}
