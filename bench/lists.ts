import path from 'node:path'
import { openReadStore, type ReadStore } from '../projections/store.ts'
import type { ListQuery } from '../projections/tasks/lists.ts'
import type { Principal } from '../src/contract/token-events.ts'
import type { EventLog } from '../src/log/log.ts'
import { createQueries } from '../src/tasks/queries.ts'
import { newFolder } from './support/folder.ts'
import { fillTasks, idOfTask, type Models } from './support/many-tasks.ts'
import { interleave, printRatio } from './support/rounds.ts'
import { median } from './support/stats.ts'

export const about =
  'the newest page of lists, and a task by its id, with a million tasks against ten thousand'

const admin: Principal = { id: 'admin', role: 'admin', userId: undefined, expiresAt: undefined }
const newest: ListQuery = {
  userId: undefined,
  sessionId: undefined,
  statuses: [],
  startingAfter: undefined,
  endingBefore: undefined,
  limit: 10,
  order: 'desc',
  includeSubtasks: false,
}
const calls = 2000

const noLog = { head: () => 0, revisionOf: () => 0 } as unknown as EventLog

const open = (name: string, tasks: number) => {
  const file = path.join(newFolder(name), 'read.db')
  const filling = openReadStore(file)
  const models = fillTasks(filling, tasks)
  void filling.close()
  const store: ReadStore = openReadStore(file)
  return {
    models,
    store,
    queries: createQueries(
      store,
      {
        isCurrent: () => true,
        isCurrentFor: () => true,
        flush: () => {},
        prepare: () => {},
        reading: ask => ask(),
        caughtUp: () => Promise.resolve(),
      },
      noLog,
    ),
  }
}
type Opened = ReturnType<typeof open>

/** Resolves to the median microseconds of one call. */
const timed = async (call: (n: number) => unknown): Promise<number> => {
  const times: number[] = []
  for (let n = 0; n < calls; n++) {
    const began = process.hrtime.bigint()
    await call(n)
    times.push(Number(process.hrtime.bigint() - began) / 1000)
  }
  return median(times)
}

/** The number of the n-th task to ask for: spread over all tasks, and the same in every run. */
const somewhere = (n: number, { tasks }: Models): number => Math.floor(((n * 0.618033988749895) % 1) * tasks)

const asked: { title: string; atMost: number; call: (opened: Opened) => (n: number) => unknown }[] = [
  {
    title: 'newest 10 of all',
    atMost: 1.15,
    call:
      ({ queries }) =>
      () =>
        queries.list(newest),
  },
  {
    title: 'newest 10 completed',
    atMost: 1.15,
    call:
      ({ queries }) =>
      () =>
        queries.list({ ...newest, statuses: ['completed'] }),
  },
  {
    title: 'newest 10 of a busy user',
    atMost: 1.15,
    call:
      ({ queries, models }) =>
      () =>
        queries.list({ ...newest, userId: models.busyUser }),
  },
  {
    title: 'get by id, a random one',
    atMost: 1.6,
    call: ({ queries, models }) => {
      let turn = 0
      return () => queries.taskText(queries.visible(admin, idOfTask(somewhere(++turn, models))).position)
    },
  },
]

export const run = async (): Promise<void> => {
  const few = open('few', 10_000)
  const many = open('many', 1_000_000)
  for (const { title, atMost, call } of asked) {
    const [ofFew, ofMany] = [call(few), call(many)]
    const rounds = await interleave(
      { few: () => timed(ofFew), many: () => timed(ofMany) },
      { warmUp: 2, rounds: 9 },
    )
    printRatio(`${title}, of 1,000,000 tasks against of 10,000`, rounds.many, rounds.few, {
      unit: 'us',
      target: { atMost },
    })
  }
  await few.store.close()
  await many.store.close()
}
