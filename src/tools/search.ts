// Searches the text files below a path of the workspace, in the order of their names, line by line.
import { constants, type Dirent } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import path from 'node:path'
import { named, namingPath, unlessFile } from './file-errors.ts'
import { firstBytes, utf8Text } from './text.ts'
import { inFile, inFolder, type Spot, spotOf, type Workspace } from './workspace-paths.ts'

export type SearchJob = Workspace & { given: string; pattern: string }

/** The size in bytes of the largest file that is searched. */
const largest = 4 << 20
/** An answer has at most this many matches. */
const max = 200
/** An answer shows at most this many characters of a line. */
const longestLine = 400

type Found = { real: string; text: string }
type Entry = Pick<Dirent, 'name' | 'isDirectory' | 'isFile'>

/** The text of a file; undefined for a file that is not searched because it is too large or is no text. */
const textIn = (spot: Spot, real: string): Promise<string | undefined> =>
  inFolder(spot, path.dirname(real), folder =>
    inFile(
      folder,
      { name: path.basename(real), given: spot.given, flags: constants.O_RDONLY },
      async handle => {
        const { bytes, size } = await firstBytes(handle, largest)
        return size > largest || bytes.includes(0) ? undefined : utf8Text(bytes)
      },
    ),
  )

const byName = (a: Entry, b: Entry) => (a.name < b.name ? -1 : 1)

async function* textsBelow(spot: Spot, real: string): AsyncGenerator<Found> {
  const entries = await inFolder(spot, real, folder => readdir(folder.at('.'), { withFileTypes: true }))
  for (const entry of entries.sort(byName)) {
    const below = path.join(real, entry.name)
    try {
      if (entry.isDirectory()) yield* textsBelow(spot, below)
      if (!entry.isFile()) continue
      const text = await textIn(spot, below)
      if (text !== undefined) yield { real: below, text }
    } catch {
      // The folder or file may not be read, or was removed; the others are searched nevertheless.
    }
  }
}

async function* textsOf(spot: Spot): AsyncGenerator<Found> {
  const stats = await lstat(spot.real)
  if (stats.isDirectory()) return yield* textsBelow(spot, spot.real)
  unlessFile(stats, spot.given)
  const text = await textIn(spot, spot.real)
  if (text === undefined) throw new Error(`${named(spot.given)} is not a text file of at most 4 MiB`)
  yield { real: spot.real, text }
}

/** The matching lines, each with its file and number. */
export const search = ({ given, pattern, ...workspace }: SearchJob): Promise<string[]> =>
  namingPath(given, async () => {
    const expression = new RegExp(pattern)
    const spot = await spotOf(workspace, given)
    if (path.join(spot.real, ...spot.missing) === spot.root && spot.missing.length > 0) return []
    if (spot.missing.length > 0) throw new Error(`${named(given)} does not exist`)
    const lines: string[] = []
    for await (const { real, text } of textsOf(spot)) {
      const file = path.relative(spot.root, real)
      for (const [index, line] of text.split(/\r?\n/).entries()) {
        if (!expression.test(line)) continue
        if (lines.length === max) return [...lines, `[Cut: these are the first ${max} matches]`]
        const short = line.length > longestLine ? `${line.slice(0, longestLine)}…` : line
        lines.push(`${file}:${index + 1}: ${short}`)
      }
    }
    return lines
  })
