// Rollouts as files, for tasks that asked for it: one file of JSON lines a task, below the rollouts root. Which
// are missing is a read model, so a crash before the file is written only means that it is written later.
import { mkdir, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Report } from './contract/ports.ts'
import { plainWrite } from './log/plain-file.ts'
import type { Queries } from './queries.ts'
import type { Recall } from './recall.ts'
import { segment, within } from './task-request.ts'

export const createRolloutFiles = (root: string, queries: Queries, recall: Recall, report: Report) => {
  const failed = new Set<number>()
  let running: Promise<void> | undefined
  let stopped = false

  const save = async ({ task, id, folder }: { task: number; id: string; folder: string }): Promise<void> => {
    const target = within(root, folder)
    if (target === undefined) throw new Error(`${folder} leads outside of the rollouts root`)
    const rollouts = await recall.rollouts(id)
    await mkdir(target, { recursive: true })
    const file = path.join(target, `${segment(id)}.jsonl`)
    await writeFile(`${file}.new`, rollouts.map(rollout => `${JSON.stringify(rollout)}\n`).join(''), {
      flag: plainWrite,
    })
    await rename(`${file}.new`, file)
    queries.rolloutFileSaved(task)
    failed.delete(task)
  }

  const saveAll = async (): Promise<void> => {
    for (const missing of queries.rolloutFiles()) {
      if (stopped) return
      await save(missing).catch(error => {
        if (failed.has(missing.task)) return
        failed.add(missing.task)
        report('warn', `the rollouts of task ${missing.id} could not be saved`, { error: String(error) })
      })
    }
  }

  return {
    /** Writes what is missing; one that cannot be written is said once and tried again. One round at a time. */
    write(): Promise<void> {
      running ??= saveAll().finally(() => {
        running = undefined
      })
      return running
    },
    /** What is not written yet is written after the next start. */
    async stop(): Promise<void> {
      stopped = true
      await running
    },
  }
}
