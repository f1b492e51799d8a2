// The tasks read model: one row for each task and one for each item. Events are folded in memory. Each write writes a
// changed task once, however many events it had since the last write. While new events only add text to an open item of
// a task, the task is not written until a query asks, since each write would write the whole item again.
import { taskEvents } from '../../src/contract/decoders/task.ts'
import type { Log } from '../../src/contract/stored.ts'
import { isTaskStream, taskIdOf } from '../../src/contract/task-stream.ts'
import { evolveShown } from '../../src/history/task-view.ts'
import type { Projection } from '../intake.ts'
import type { ReadStore } from '../store.ts'
import { createErasedTasks } from './erased.ts'
import { createFollowedTasks, type Limits } from './followed.ts'
import { createMoveWriter } from './moves.ts'
import { createFoldWriter } from './saved-folds.ts'
import { isTalk } from './talking.ts'
import { createTaskWriter } from './write-task.ts'

export const tasksProjection = (
  store: ReadStore,
  streamPages: Log['streamPages'],
  limits: Limits,
): Projection => {
  const putStep = store.prepare('INSERT INTO steps (position, task) VALUES (?, ?)')
  const count = store.prepare(
    `INSERT INTO task_counts (status, tasks) VALUES (?, ?)
     ON CONFLICT (status) DO UPDATE SET tasks = tasks + excluded.tasks`,
  )
  const putKey = store.prepare(
    'INSERT OR REPLACE INTO idempotency_keys (principal, key, task_id, digest, time) VALUES (?, ?, ?, ?, ?)',
  )
  const writeTask = createTaskWriter(store)
  const tasks = createFollowedTasks(store, streamPages, limits)
  const folds = createFoldWriter(store)
  const moves = createMoveWriter(store)
  const erased = createErasedTasks(store)
  let steps: [position: number, task: number][] = []
  let keys: [principal: string, key: string, taskId: string, digest: string, time: number][] = []

  return {
    fold(events) {
      for (const stored of events) {
        erased.follow(stored)
        if (stored.erased_by !== undefined || !isTaskStream(stored.header.stream)) continue
        const event = taskEvents.read(stored)
        const { stream, principal, time } = event.header
        // A reward changes no row, so no task is loaded for it.
        if (event.type === 'RewardGiven' && !tasks.isInMemory(stream)) continue
        const task = tasks.change(event)
        if (task === undefined) continue
        const { status } = task.view
        evolveShown(task.view, event)
        moves.follow(task.row, status, task.view)
        if (!isTalk(event)) task.onlyTalks = false
        folds.follow(task.row, task.view)
        const isNew = stored.header.copy_of === undefined
        if (event.type === 'AgentStepCompleted' && isNew) steps.push([event.position, task.row])
        if (event.type === 'TaskCreated' || event.type === 'InputAccepted') {
          const { idempotency_key: key, digest = '' } = event.data
          if (key !== undefined) keys.push([principal, key, taskIdOf(stream), digest, Date.parse(time)])
        }
      }
    },
    write(isWhole) {
      const counts = new Map<string, number>()
      for (const task of tasks.due(isWhole)) writeTask(task, counts)
      tasks.list(isWhole)
      for (const [status, tasks] of counts) if (tasks !== 0) count.run(status, tasks)
      for (const key of keys) putKey.run(...key)
      for (const step of steps) putStep.run(...step)
      folds.write()
      moves.write()
      erased.write()
      tasks.wrote(isWhole)
      keys = []
      steps = []
    },
    leftOut: tasks.isLeftOut,
    recall: tasks.recall,
    forget() {
      tasks.forget()
      folds.forget()
      moves.forget()
      erased.forget()
      keys = []
      steps = []
    },
  }
}
