// Writes a text file of the workspace: whole and at once, or at the end of what is there.
import { createHash } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { access, lstat, mkdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import type { ToolInput } from '../contract/tools.ts'
import { named, telling, unlessFile } from './file-errors.ts'
import { stopped, unlessStopped } from './stop.ts'
import { tool } from './tool.ts'
import { type Folder, inFile, inFolder, type Spot, spotOf } from './workspace.ts'

const most = 16 << 20

/** Named after the call, so that its next run removes what a crash has left. */
export const temporaryName = (effectId: string): string =>
  `.reprise-${createHash('sha256').update(effectId).digest('base64url').slice(0, 22)}`

type Job = { folder: Folder; name: string; given: string; bytes: Buffer; there: Stats | undefined } & Pick<
  ToolInput,
  'effectId' | 'signal'
>

const unlessCode = (code: string) => (error: { code?: string }) => {
  if (error.code !== code) throw error
}
const statOf = async (at: string): Promise<Stats | undefined> =>
  (await lstat(at).catch(unlessCode('ENOENT'))) ?? undefined

/** Where to write, with its folders made. */
const prepare = async (
  workdir: string,
  given: string,
): Promise<{ spot: Spot; parent: string; name: string }> => {
  await spotOf(workdir, given) // nothing is made for a path that leads outside
  await mkdir(workdir, { recursive: true })
  const spot = await spotOf(workdir, given)
  if (spot.missing.length === 0) {
    unlessFile(await lstat(spot.real), given)
    // A link that leads to a file inside: whoever made it may mean either of the two.
    unlessFile(await lstat(path.resolve(workdir, given)), given)
  }
  const folders = spot.missing.slice(0, -1)
  let parent = spot.missing.length === 0 ? path.dirname(spot.real) : spot.real
  for (const name of folders) {
    await inFolder(spot, parent, folder => mkdir(folder.at(name)).catch(unlessCode('EEXIST')))
    parent = path.join(parent, name)
  }
  return { spot, parent, name: spot.missing.at(-1) ?? path.basename(spot.real) }
}

/** A new file takes the place of the old one: a link put there meanwhile is not followed, nobody reads half. */
const replace = async ({ folder, name, given, bytes, there, effectId, signal }: Job): Promise<void> => {
  const fresh = temporaryName(effectId)
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL
  await rm(folder.at(fresh), { force: true })
  try {
    await inFile(folder, { name: fresh, given, flags }, async handle => {
      if (there !== undefined) await handle.chmod(there.mode & 0o777)
      await handle.writeFile(bytes, { signal })
      await handle.sync()
    })
    await folder.still()
    unlessStopped(signal)
    await rename(folder.at(fresh), folder.at(name))
    await folder.sync()
  } catch (error) {
    await rm(folder.at(fresh), { force: true })
    throw signal.aborted ? stopped() : error
  }
}

const append = async ({ folder, name, given, bytes, there, signal }: Job): Promise<void> => {
  if (there !== undefined && there.nlink > 1) {
    throw new Error(`${named(given)} has a second name that may be outside of the workspace: write it whole`)
  }
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT
  await inFile(folder, { name, given, flags }, async handle => {
    const { size } = await handle.stat()
    unlessStopped(signal)
    try {
      await handle.writeFile(bytes)
      await handle.sync()
    } catch (error) {
      await handle.truncate(size) // all of it or nothing
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
  if (bytes.length > most) throw new Error('The content is longer than 16 MiB: write it in parts')
  return telling(given, async () => {
    const { spot, parent, name } = await prepare(input.workdir, given)
    await inFolder(spot, parent, async folder => {
      const there = await statOf(folder.at(name))
      if (there !== undefined) {
        unlessFile(there, given)
        await access(folder.at(name), constants.W_OK)
      }
      unlessStopped(input.signal)
      await (atEnd ? append : replace)({ ...input, folder, name, given, bytes, there })
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
  // The same whole content written again changes nothing; the same text appended again does.
  isSafe: args => args.append !== true,
  answer: write,
})
