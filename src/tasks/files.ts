// Writes rollouts and logs to files for tasks that asked for them. Each is one file of JSON lines. It is in the folder
// of the user, below the root of its kind, and is written when the task has ended. A read model lists the missing
// files, so they are written later after a crash. A file that exceeds the user's quota is not written, and a log line
// says so.

import { taskFileOf, userFolder } from '../access/user-folders.ts'
import type { Clock, Report } from '../contract/ports.ts'
import { Refusal } from '../contract/refusals.ts'
import type { DiskShare } from '../contract/tools.ts'
import { joined, only, type Text } from '../platform/pieces.ts'
import { counted, prepare, replace, statOf } from '../tools/put-file.ts'
import { inFolder } from '../tools/workspace-paths.ts'
import type { Queries, TaskFile } from './queries.ts'

async function* linesOf(texts: AsyncIterable<Text>): AsyncGenerator<string> {
  for await (const text of texts) {
    for await (const piece of only(joined(text, '\n'))) yield String(piece)
  }
}

/** Milliseconds until a file that could not be written is tried again. */
const retryMs = 60_000

/** The root folder of a kind of files, and the lines of a task's file. */
type FileKind = { root: string; lines: (taskId: string) => AsyncIterable<Text> }
type Deps = {
  kinds: Record<TaskFile['kind'], FileKind>
  queries: Pick<Queries, 'missingFiles' | 'fileSettled'>
  shareOf: (user: string) => DiskShare
  clock: Clock
  report: Report
}

const nameOf = ({ kind, id }: TaskFile) =>
  kind === 'log' ? `the log of task ${id}` : `the rollouts of task ${id}`

export const createTaskFiles = ({ kinds, queries, shareOf, clock, report }: Deps) => {
  /** The time of the last try of each file that could not be written. */
  const failed = new Map<string, number>()
  const keyOf = ({ task, kind }: TaskFile) => `${task} ${kind}`
  /** The last file that was tried. The next round begins after it, so that failing files do not delay the others. */
  let lookedAt: TaskFile | undefined
  let running: Promise<void> | undefined
  const stopping = new AbortController()

  const save = async (file: TaskFile): Promise<void> => {
    const { id, kind, user_id, folder: wanted } = file
    const { root, lines } = kinds[kind]
    const own = userFolder(root, user_id)
    const given = taskFileOf(root, { user_id, task_id: id, folder: wanted })
    // The lines are read twice, to count and to write them, since they may not fit into memory together.
    let size = 0
    for await (const line of linesOf(lines(id))) size += Buffer.byteLength(line)
    const { spot, parent, name } = await prepare({ userFolder: own, workdir: own }, given)
    await inFolder(spot, parent, async folder => {
      const there = await statOf(folder.at(name))
      const content = linesOf(lines(id))
      const put = { folder, name, given, content, there, effectId: id, signal: stopping.signal }
      await counted(shareOf(user_id), size, there, () => replace(put))
    })
    queries.fileSettled(file)
    failed.delete(keyOf(file))
  }

  const saveSome = async (): Promise<void> => {
    const missing = queries.missingFiles(lookedAt)
    lookedAt = missing.at(-1)
    for (const file of missing) {
      if (stopping.signal.aborted) return
      const triedAt = failed.get(keyOf(file))
      if (triedAt !== undefined && clock.now() - triedAt < retryMs) continue
      await save(file).catch(error => {
        if (stopping.signal.aborted) return
        if (error instanceof Refusal) {
          const is = file.kind === 'log' ? 'is' : 'are'
          report('warn', `${nameOf(file)} ${is} not saved, and this is final: ${error.message}`)
          queries.fileSettled(file) // nothing is left to write later
          return
        }
        if (triedAt === undefined) {
          report('warn', `${nameOf(file)} could not be saved; the server tries again`, {
            error: String(error),
          })
        }
        failed.set(keyOf(file), clock.now())
      })
    }
  }

  return {
    /**
     * Writes the missing files. A file that cannot be written is reported and tried again. One round runs at a time.
     */
    write(): Promise<void> {
      running ??= saveSome().finally(() => {
        running = undefined
      })
      return running
    },
    /** Resolves when no round runs. Later rounds write nothing of tasks that were erased before. */
    async atRest(): Promise<void> {
      await running
    },
    /** Stops writing. The missing files are written after the next start. */
    async stop(): Promise<void> {
      stopping.abort()
      await running
    },
  }
}
export type TaskFiles = ReturnType<typeof createTaskFiles>
