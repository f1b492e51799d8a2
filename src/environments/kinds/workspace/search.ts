// Searches the text files of a workspace for a regular expression. Some expressions take practically for ever, so
// every search runs in a context of its own, which the JavaScript engine stops at a deadline.
import { lstatSync } from 'node:fs'
import path from 'node:path'
import vm from 'node:vm'
import { bytesOf, utf8Text } from './files.ts'
import { existing, named, namingPath, unlessFile } from './inside.ts'
import { goOn, walk } from './walk.ts'

/** The size in bytes of the largest file that is searched. */
const largest = 4 << 20
/** An answer has at most this many matches. */
const max = 200
/** An answer shows at most this many characters of a line. */
const longestLine = 400

const run = new vm.Script('job()')

/** Runs jobs that share one deadline. All use the same context, since a context costs more than a job. */
const withDeadline = (deadlineMs: number) => {
  const context = vm.createContext({ job: undefined })
  const end = performance.now() + deadlineMs
  return <Answer>(job: () => Answer): Answer => {
    context.job = job
    try {
      return run.runInContext(context, { timeout: Math.max(1, Math.ceil(end - performance.now())) })
    } catch (error) {
      if ((error as { code?: string }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
      throw new Error(
        `The search took longer than ${deadlineMs} ms: use a simpler pattern, or a path with less below`,
      )
    }
  }
}

const expressionOf = (pattern: string): RegExp => {
  try {
    return new RegExp(pattern)
  } catch (error) {
    throw new Error(`pattern is no regular expression: ${(error as Error).message}`)
  }
}

/** The text of a file; undefined for a file that is not searched: it is too large, is no text, or may not be read. */
const searchable = (real: string, given: string): string | undefined => {
  try {
    const bytes = bytesOf(real, given, largest)
    return bytes.includes(0) ? undefined : utf8Text(bytes)
  } catch {
    return undefined
  }
}

function* textsBelow(root: string, given: string): Generator<{ file: string; text: string }> {
  const start = existing(root, given)
  if (!lstatSync(start).isDirectory()) {
    unlessFile(lstatSync(start), given)
    const text = searchable(start, given)
    if (text === undefined)
      throw new Error(`${named(given)} is not a text file of at most ${largest >> 20} MiB`)
    return yield { file: path.relative(root, start), text }
  }
  for (const { real, stats } of walk(start, goOn)) {
    const text = stats.isFile() ? searchable(real, given) : undefined
    if (text !== undefined) yield { file: path.relative(root, real), text }
  }
}

/** The matching lines, as "file:line: text". */
export const search = (root: string, pattern: string, given: string, deadlineMs: number): string =>
  namingPath(given, () => {
    const expression = expressionOf(pattern)
    const inTime = withDeadline(deadlineMs)
    const found: string[] = []
    for (const { file, text } of textsBelow(root, given)) {
      const lines = text.split(/\r?\n/)
      const matches = inTime(() => [...lines.keys()].filter(index => expression.test(lines[index] ?? '')))
      for (const index of matches) {
        const line = lines[index] ?? ''
        if (found.length === max) return [...found, `[Cut: these are the first ${max} matches]`].join('\n')
        found.push(
          `${file}:${index + 1}: ${line.length > longestLine ? `${line.slice(0, longestLine)}…` : line}`,
        )
      }
    }
    return found.length === 0 ? 'No line matches' : found.join('\n')
  })
