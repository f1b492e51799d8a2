import { newFolder } from './support/folder.ts'
import { makeLog, makeReadModels } from './support/made-history.ts'
import { interleave, printDifference } from './support/rounds.ts'
import { startOurs } from './support/server.ts'

export const about =
  'from spawn to ready with a million events and 1,000 unfinished tasks, against an empty folder'

const unfinished = 1000

type Readiness = { tasks: { running: number; paused?: number } }

const startAndStop = async (folder: string, expected: number): Promise<number> => {
  const server = await startOurs(folder)
  const { tasks } = (await (await fetch(`${server.url}/readyz`)).json()) as Readiness
  const found = tasks.running + (tasks.paused ?? 0)
  if (found !== expected) throw new Error(`${found} unfinished tasks, not ${expected}`)
  await server.stop()
  return server.readyAfter
}

export const run = async (): Promise<void> => {
  const full = newFolder('full')
  await makeLog(full, { events: 1_000_000, unfinished })
  await makeReadModels(full)
  let starts = 0
  const rounds = await interleave({
    empty: () => startAndStop(newFolder(`empty-${++starts}`), 0),
    full: () => startAndStop(full, unfinished),
  })
  printDifference('start with 1,000,000 events and 1,000 unfinished tasks', rounds.full, rounds.empty, {
    unit: 'ms',
    atMost: 1000,
  })
}
