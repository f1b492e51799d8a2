// Lists one folder of the workspace.
import type { Dirent } from 'node:fs'
import { lstat, opendir } from 'node:fs/promises'
import path from 'node:path'
import { named, namingPath } from './file-errors.ts'
import { unlessStopped } from './stop.ts'
import { tool } from './tool.ts'
import { inFolder, spotOf } from './workspace-paths.ts'

/** An answer has at most this many entries. */
const max = 1_000
/** At most this many entries of a folder are read. They are sorted in memory before the first is returned. */
const maxEntriesRead = 100_000

/** Returns exactly one line, whatever characters the name has. */
const lineOf = (entry: Dirent): string => {
  const name = /\p{Cc}/u.test(entry.name) ? JSON.stringify(entry.name) : entry.name
  if (entry.isDirectory()) return `${name}/`
  if (entry.isSymbolicLink()) return `${name} (symbolic link)`
  return entry.isFile() ? name : `${name} (not a regular file)`
}

const linesIn = async (at: string, signal: AbortSignal): Promise<string[]> => {
  const lines: string[] = []
  for await (const entry of await opendir(at)) {
    unlessStopped(signal)
    if (lines.length === maxEntriesRead) break
    lines.push(lineOf(entry))
  }
  return lines.sort()
}

const answerOf = (lines: string[]): string => {
  if (lines.length === 0) return '(the folder is empty)'
  const count = lines.length === maxEntriesRead ? `more than ${maxEntriesRead - 1}` : lines.length
  const cut = lines.length > max ? [`[Cut: these are the first ${max} of ${count} entries]`] : []
  return [...lines.slice(0, max), ...cut].join('\n')
}

export const listFiles = tool({
  name: 'list_files',
  description:
    'Lists what is in a folder of the workspace, one name a line, sorted; the name of a folder ends with a slash. ' +
    'Gives at most 1000 entries.',
  required: {},
  optional: {
    path: {
      type: 'string',
      description: 'The path of the folder, relative to the workspace, which is listed itself when left out.',
    },
  },
  answer({ arguments: args, signal, ...workspace }) {
    const { path: given = '.' } = args as { path?: string }
    return namingPath(given, async () => {
      const spot = await spotOf(workspace, given)
      if (spot.missing.length > 0) {
        // The folder of the workspace is created with its first file.
        if (path.join(spot.real, ...spot.missing) === spot.root) return answerOf([])
        throw new Error(`${named(given)} does not exist`)
      }
      if (!(await lstat(spot.real)).isDirectory()) throw new Error(`${named(given)} is not a folder`)
      return answerOf(await inFolder(spot, spot.real, folder => linesIn(folder.at('.'), signal)))
    })
  },
})
