// Writes a text file of the workspace: replaces it as a whole, or appends to it.
import { constants } from 'node:fs'
import { access, writeFile as fillFile } from 'node:fs/promises'
import type { ToolInput } from '../contract/tools.ts'
import { named, namingPath, unlessFile } from './file-errors.ts'
import { counted, type Put, prepare, replace, statOf } from './put-file.ts'
import { unlessStopped } from './stop.ts'
import { tool } from './tool.ts'
import { inFile, inFolder } from './workspace-paths.ts'

/** One call may write at most this many bytes. */
const max = 16 << 20

const append = async ({ folder, name, given, content, there, signal }: Put): Promise<void> => {
  if (there !== undefined && there.nlink > 1) {
    throw new Error(`${named(given)} has a second name that may be outside of the workspace: write it whole`)
  }
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT
  await inFile(folder, { name, given, flags }, async handle => {
    const { size } = await handle.stat()
    unlessStopped(signal)
    try {
      await fillFile(handle, content)
      await handle.sync()
    } catch (error) {
      await handle.truncate(size) // an incomplete append is undone
      throw error
    }
  })
  await folder.sync()
}

const write = async (input: ToolInput): Promise<string> => {
  const {
    path: given,
    content,
    append: atEnd = false,
  } = input.arguments as {
    path: string
    content: string
    append?: boolean
  }
  const bytes = Buffer.from(content)
  if (bytes.length > max) throw new Error('The content is longer than 16 MiB: write it in parts')
  return namingPath(given, async () => {
    const { spot, parent, name } = await prepare(input, given)
    await inFolder(spot, parent, async folder => {
      const there = await statOf(folder.at(name))
      if (there !== undefined) {
        unlessFile(there, given)
        await access(folder.at(name), constants.W_OK)
      }
      await counted(input.disk, bytes.length, atEnd ? undefined : there, async () => {
        unlessStopped(input.signal)
        await (atEnd ? append : replace)({ ...input, folder, name, given, content: bytes, there })
      })
    })
    return `${atEnd ? 'Appended' : 'Wrote'} ${bytes.length} bytes to ${named(given)}`
  })
}

export const writeFile = tool({
  name: 'write_file',
  description:
    'Writes a text file (UTF-8) of the workspace; folders that are missing are made. A file that exists is replaced ' +
    'as a whole, or with append: true made longer. At most 16 MiB a call.',
  required: {
    path: { type: 'string', minLength: 1, description: 'The path of the file, relative to the workspace.' },
    content: { type: 'string', description: 'The text to write.' },
  },
  optional: {
    append: {
      type: 'boolean',
      description:
        'Whether the text is added at the end of the file instead of replacing it. Default: false.',
    },
  },
  // Writing the same content again changes nothing; appending the same text again does.
  isSafe: args => args.append !== true,
  answer: write,
})
