// Rollouts as files, for tasks that asked for it: one file of JSON lines a task, in the folder of its user below the
// rollouts root. Which are missing is a read model, so a crash before the file is written only means that it is written
// later. What the user's quota has no room for is not written, and a line says so.
import type { Clock, Report } from './contract/ports.ts'
import { Refusal } from './contract/refusals.ts'
import type { DiskShare } from './contract/tools.ts'
import type { Queries, RolloutFile } from './queries.ts'
import type { Recall } from './recall.ts'
import { counted, prepare, replace, statOf } from './tools/put-file.ts'
import { inFolder } from './tools/workspace.ts'
import { rolloutFileOf, userFolder } from './user-folders.ts'

async function* linesOf(rollouts: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const rollout of rollouts) yield `${rollout}\n`
}

/** A file that could not be written is tried again after so long. */
const retryMs = 60_000

type Parts = {
  root: string
  queries: Queries
  recall: Recall
  shareOf: (user: string) => DiskShare
  clock: Clock
  report: Report
}

export const createRolloutFiles = ({ root, queries, recall, shareOf, clock, report }: Parts) => {
  /** When a file that could not be written was tried last, by task. */
  const failed = new Map<number, number>()
  /** The tasks up to this position were looked at; then from the beginning again, so that no file waits for others. */
  let lookedAt = 0
  let running: Promise<void> | undefined
  const stopping = new AbortController()

  const save = async ({ task, id, user_id, folder: wanted }: RolloutFile): Promise<void> => {
    const own = userFolder(root, user_id)
    const given = rolloutFileOf(root, { user_id, task_id: id, folder: wanted })
    // Told twice, once to be counted and once to be written: together they may be too long for the memory.
    let size = 0
    for await (const line of linesOf(recall.rollouts(id))) size += Buffer.byteLength(line)
    const { spot, parent, name } = await prepare({ userFolder: own, workdir: own }, given)
    await inFolder(spot, parent, async folder => {
      const there = await statOf(folder.at(name))
      const put = {
        folder,
        name,
        given,
        content: linesOf(recall.rollouts(id)),
        there,
        effectId: id,
        signal: stopping.signal,
      }
      await counted(shareOf(user_id), size, there, () => replace(put))
    })
    queries.rolloutFileSaved(task)
    failed.delete(task)
  }

  const saveSome = async (): Promise<void> => {
    const missing = queries.rolloutFiles(lookedAt)
    lookedAt = missing.at(-1)?.task ?? 0
    for (const file of missing) {
      const { task, id } = file
      if (stopping.signal.aborted) return
      const triedAt = failed.get(task)
      if (triedAt !== undefined && clock.now() - triedAt < retryMs) continue
      await save(file).catch(error => {
        if (stopping.signal.aborted) return
        if (error instanceof Refusal) {
          report('warn', `the rollouts of task ${id} are not saved: ${error.message}`)
          queries.rolloutFileSaved(task) // there is nothing to be written later
          return
        }
        if (triedAt === undefined) {
          report('warn', `the rollouts of task ${id} could not be saved`, { error: String(error) })
        }
        failed.set(task, clock.now())
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
