// The tool that searches text files. A pattern can take for ever, so it runs in a thread that can be ended.
import type { Timers } from '../contract/ports.ts'
import { inThread } from './job-thread.ts'
import type { SearchJob } from './search.ts'
import { tool } from './tool.ts'

const unlessInvalid = (pattern: string): void => {
  try {
    new RegExp(pattern)
  } catch (error) {
    throw new Error(`The pattern is not a regular expression: ${(error as Error).message}`)
  }
}

export const searchFiles = (timers: Timers, deadlineMs = 5_000) =>
  tool({
    name: 'search_files',
    description:
      'Searches the text files of the workspace, or those below a path, line by line for a regular expression, and ' +
      'gives the lines that match as "file:line: text". Gives at most 200 matches, lines cut at 400 characters; ' +
      'leaves out binary files, files larger than 4 MiB, and symbolic links.',
    required: {
      pattern: {
        type: 'string',
        minLength: 1,
        maxLength: 1_000,
        description: 'A JavaScript regular expression without slashes and flags, for example: TODO|FIXME',
      },
    },
    optional: {
      path: {
        type: 'string',
        description: 'The folder or file to search, relative to the workspace. Everything when left out.',
      },
    },
    async answer({ arguments: args, userFolder, workdir, user, signal }) {
      const { pattern, path: given = '.' } = args as { pattern: string; path?: string }
      unlessInvalid(pattern)
      const job: SearchJob = { userFolder, workdir, given, pattern }
      const tooLong = `The search took longer than ${deadlineMs} ms: use a simpler pattern, or a path with less below`
      const lines = await inThread<string[]>('search-thread', job, {
        timers,
        user,
        signal,
        deadlineMs,
        tooLong,
      })
      return lines.length === 0 ? 'No line matches' : lines.join('\n')
    },
  })
