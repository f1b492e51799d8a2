import assert from 'node:assert'
import { taskEvents } from '../src/contract/decoders/task.ts'
import type { Header, Recorded } from '../src/contract/stored.ts'
import { isTaskStream } from '../src/contract/task-stream.ts'
import { isTerminal, type Task } from '../src/contract/wire.ts'
import { taskOf } from '../src/history/task-object.ts'
import { emptyTask, evolve, type TaskView } from '../src/history/task-view.ts'
import { sqliteReader } from '../src/log/file/sqlite-reader.ts'
import type { EventLog } from '../src/log/log.ts'
import { createQueries } from '../src/tasks/queries.ts'
import { newFolder } from './support/folder.ts'
import { makeLog, openReadModels } from './support/made-history.ts'
import { logFile, openFileLog } from './support/open-log.ts'
import { ownCpuSeconds } from './support/process-use.ts'
import { interleave, printRatio } from './support/rounds.ts'
import { scanAndParse } from './support/scan.ts'

export const about =
  'a million events folded into whole task objects, against reading and parsing the same rows'

const pageSize = 1000
const checked = 500

/** Folds events in the order of the log. A task that has ended is reported and dropped. */
const createReplay = (each: (task: Task) => void) => {
  const views = new Map<string, TaskView>()
  return {
    see(event: Recorded) {
      const { stream } = event.header
      if (!isTaskStream(stream)) return
      let view = views.get(stream)
      if (view === undefined) {
        view = emptyTask()
        views.set(stream, view)
      }
      evolve(view, taskEvents.read(event))
      if (isTerminal(view.status)) {
        each(taskOf(view))
        views.delete(stream)
      }
    },
    end() {
      for (const view of views.values()) each(taskOf(view))
    },
  }
}

const replayLog = async (log: EventLog, each: (task: Task) => void): Promise<void> => {
  const replay = createReplay(each)
  for await (const page of log.readAll()) for (const event of page) replay.see(event)
  replay.end()
}

/** Folds the same rows without checking any hash. The difference shows what the checks cost. */
const replayUnchecked = (file: string, each: (task: Task) => void): void => {
  const reader = sqliteReader(file)
  const replay = createReplay(each)
  for (let from = 0; ; ) {
    const rows = reader.page(from, pageSize)
    const last = rows.at(-1)
    if (last === undefined) break
    for (const { position, header, payload } of rows) {
      replay.see({ position, header: JSON.parse(header) as Header, data: JSON.parse(payload ?? 'null') })
    }
    from = last.position
  }
  replay.end()
  void reader.close()
}

/** Checks for some of the tasks that the replayed task object equals the one that GET answers. */
const checkSample = async (folder: string, log: EventLog): Promise<void> => {
  const { store, projector } = openReadModels(folder, log)
  const began = ownCpuSeconds()
  await projector.catchUp()
  const rebuilt = log.head() / (ownCpuSeconds() - began)
  console.log(`  (read models made: ${Math.round(rebuilt).toLocaleString('en')} events a CPU second)`)
  const queries = createQueries(store, projector, log)
  const total = Object.values(queries.taskCounts()).reduce((sum, tasks) => sum + tasks, 0)
  let n = 0
  let compared = 0
  await replayLog(log, task => {
    if (n++ % Math.ceil(total / checked) !== 0) return
    const row = queries.rowById(task.id)
    assert(row !== undefined)
    assert.deepStrictEqual(JSON.parse(JSON.stringify(task)), JSON.parse(queries.taskText(row.position)))
    compared++
  })
  assert.strictEqual(n, total)
  console.log(`  (${n.toLocaleString('en')} tasks, ${compared} compared with what GET answers: equal)`)
  await store.close()
}

export const run = async (): Promise<void> => {
  const folder = newFolder('replay')
  const file = logFile(folder)
  await makeLog(folder, { events: 1_000_000, unfinished: 1000 })
  const log = openFileLog(folder)
  await checkSample(folder, log)
  const perCpuSecond = async (work: () => unknown): Promise<number> => {
    const began = ownCpuSeconds()
    await work()
    return log.head() / (ownCpuSeconds() - began)
  }
  const rounds = await interleave({
    parse: () => perCpuSecond(() => scanAndParse(file)),
    replay: () => perCpuSecond(() => replayLog(log, () => {})),
    unchecked: () => perCpuSecond(() => replayUnchecked(file, () => {})),
  })
  const unit = 'events a CPU second'
  printRatio('replay to task objects, every hash checked', rounds.replay, rounds.parse, {
    unit,
    target: { atLeast: 0.6 },
  })
  printRatio(
    'replay without checking hashes (to see what the checks cost; the product always checks)',
    rounds.unchecked,
    rounds.parse,
    {
      unit,
    },
  )
  await log.close()
}
