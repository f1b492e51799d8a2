// Reads a text file of the workspace.
import { constants } from 'node:fs'
import { lstat } from 'node:fs/promises'
import path from 'node:path'
import { named, namingPath, unlessFile } from './file-errors.ts'
import { firstBytes, utf8Text, wholeCharacters } from './text.ts'
import { tool } from './tool.ts'
import { inFile, inFolder, spotOf, type Workspace } from './workspace-paths.ts'

/** An answer has at most this many bytes of a file. */
const max = 1 << 20

/** The first bytes of a file in the workspace, and its size. */
const read = async (workspace: Workspace, given: string): Promise<{ bytes: Buffer; size: number }> => {
  const spot = await spotOf(workspace, given)
  if (spot.missing.length > 0) throw new Error(`${named(given)} does not exist`)
  // Checked before the file is opened: opening a device can already have an effect.
  unlessFile(await lstat(spot.real), given)
  const name = path.basename(spot.real)
  return inFolder(spot, path.dirname(spot.real), folder =>
    inFile(folder, { name, given, flags: constants.O_RDONLY }, handle => firstBytes(handle, max)),
  )
}

export const readFile = tool({
  name: 'read_file',
  description:
    'Reads a text file (UTF-8) of the workspace and gives its content. Of a file longer than 1 MiB it gives the ' +
    'first part and a note that says how long the file is.',
  required: {
    path: { type: 'string', minLength: 1, description: 'The path of the file, relative to the workspace.' },
  },
  answer({ arguments: args, ...workspace }) {
    const { path: given } = args as { path: string }
    return namingPath(given, async () => {
      const { bytes, size } = await read(workspace, given)
      const whole = size <= max
      const text = utf8Text(whole ? bytes : wholeCharacters(bytes))
      if (text === undefined) throw new Error(`${named(given)} is not a text file: its content is not UTF-8`)
      return whole ? text : `${text}\n[Cut: this is the first 1 MiB of a file of ${size} bytes]`
    })
  },
})
