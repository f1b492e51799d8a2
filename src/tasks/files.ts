// Rollouts and logs as files, for tasks that asked for them: one file of JSON lines each, in the folder of the task's user
// below the root of its kind, written when the task has ended. Which are missing is a read model, so a crash before a file
// is written only means that it is written later. What the user's quota has no room for is not written, and a line says so.

import { taskFileOf, userFolder } from '../access/user-folders.ts'
import type { Clock, Report } from '../contract/ports.ts'
import { Refusal } from '../contract/refusals.ts'
import type { DiskShare } from '../contract/tools.ts'
import { counted, prepare, replace, statOf } from '../tools/put-file.ts'
import { inFolder } from '../tools/workspace.ts'
import type { Queries, TaskFile } from './queries.ts'

async function* linesOf(texts: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const text of texts) yield `${text}\n`
}

/** A file that could not be written is tried again after so long. */
const retryMs = 60_000

/** Where files of a kind lie, and what stands in the one of a task. */
type FileKind = { root: string; lines: (taskId: string) => AsyncIterable<string> }
type Parts = {
  kinds: Record<TaskFile['kind'], FileKind>
  queries: Pick<Queries, 'missingFiles' | 'fileSettled'>
  shareOf: (user: string) => DiskShare
  clock: Clock
  report: Report
}

const nameOf = ({ kind, id }: TaskFile) =>
  kind === 'log' ? `the log of task ${id}` : `the rollouts of task ${id}`

export const createTaskFiles = ({ kinds, queries, shareOf, clock, report }: Parts) => {
  /** When a file that could not be written was tried last. */
  const failed = new Map<string, number>()
  const keyOf = ({ task, kind }: TaskFile) => `${task} ${kind}`
  /** The files up to this one were looked at; then from the beginning again, so that no file waits for others. */
  let lookedAt: TaskFile | undefined
  let running: Promise<void> | undefined
  const stopping = new AbortController()

  const save = async (file: TaskFile): Promise<void> => {
    const { id, kind, user_id, folder: wanted } = file
    const { root, lines } = kinds[kind]
    const own = userFolder(root, user_id)
    const given = taskFileOf(root, { user_id, task_id: id, folder: wanted })
    // Read twice, once to be counted and once to be written: together they may be too long for the memory.
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
          report('warn', `${nameOf(file)} ${file.kind === 'log' ? 'is' : 'are'} not saved: ${error.message}`)
          queries.fileSettled(file) // there is nothing to be written later
          return
        }
        if (triedAt === undefined) {
          report('warn', `${nameOf(file)} could not be saved`, { error: String(error) })
        }
        failed.set(keyOf(file), clock.now())
      })
    }
  }

  return {
    /** Writes what is missing; one that cannot be written is said once and tried again. One round at a time. */
    write(): Promise<void> {
      running ??= saveSome().finally(() => {
        running = undefined
      })
      return running
    },
    /** What is not written yet is written after the next start. */
    async stop(): Promise<void> {
      stopping.abort()
      await running
    },
  }
}
