// The tasks read model: one row for each task and one for each item. Events are folded in memory. Each write writes a
// changed task once, however many events it had since the last write. While new events only add text to an open item of
// a task, the task is not written until a query asks, since each write would write the whole item again.
import { erasureEvents } from '../../src/contract/decoders/erasure.ts'
import { taskEvents } from '../../src/contract/decoders/task.ts'
import type { Log } from '../../src/contract/stored.ts'
import { isTaskStream, taskIdOf } from '../../src/contract/task-stream.ts'
import { evolveShown } from '../../src/history/task-view.ts'
import type { Projection } from '../intake.ts'
import type { ReadStore } from '../store.ts'
import { createDeletions } from './deletions.ts'
import { createErasedTasks } from './erased.ts'
import { createFollowedTasks, type Limits } from './followed.ts'
import { createCountWriter } from './kept-counts.ts'
import { createKeyWriter } from './key-writer.ts'
import { createMoveWriter } from './moves.ts'
import { createFoldWriter } from './saved-folds.ts'
import { createStepWriter } from './step-writer.ts'
import { isTalk } from './talking.ts'
import { aboutSession, createUnwrittenTopics } from './topics.ts'
import { createTaskWriter } from './write-task.ts'

export const tasksProjection = (
  store: ReadStore,
  streamPages: Log['streamPages'],
  limits: Limits,
): Projection => {
  const counts = createCountWriter(store)
  const writeTask = createTaskWriter(store, counts)
  const tasks = createFollowedTasks(store, streamPages, limits)
  const folds = createFoldWriter(store)
  const moves = createMoveWriter(store)
  const erased = createErasedTasks(store)
  const deletions = createDeletions(store, counts)
  const unwritten = createUnwrittenTopics()
  const keys = createKeyWriter(store, unwritten.add)
  const steps = createStepWriter(store)

  return {
    fold(events) {
      for (const stored of events) {
        if (erased.follow(stored)) unwritten.addAll()
        if (erasureEvents.find(stored)?.type === 'PayloadsErased') unwritten.addAll()
        if (stored.erased_by !== undefined || !isTaskStream(stored.header.stream)) continue
        if (erased.has(stored.header.stream)) continue // a crash has destroyed only its first events
        const event = taskEvents.read(stored)
        const { stream } = event.header
        // A reward changes no row, so no task is loaded for it.
        if (event.type === 'RewardGiven' && !tasks.isInMemory(stream)) continue
        if (event.type === 'TaskDeleted' && !tasks.isInMemory(stream)) {
          deletions.follow(taskIdOf(stream), event.position)
          unwritten.addAll()
          continue
        }
        const task = tasks.change(event)
        if (task === undefined) continue
        const { status } = task.view
        evolveShown(task.view, event)
        moves.follow(task.row, status, task.view)
        if (!isTalk(event)) {
          task.onlyTalks = false
          unwritten.add(aboutSession(task.view.created?.session_id ?? ''))
        }
        if (event.type === 'TaskDeleted') unwritten.addAll()
        folds.follow(task.row, task.view)
        keys.follow(event)
        steps.follow(task.row, event)
      }
    },
    write(isWhole) {
      for (const task of tasks.due(isWhole)) writeTask(task)
      deletions.write()
      tasks.list(isWhole)
      keys.write()
      steps.write()
      folds.write()
      moves.write()
      erased.write()
      counts.write()
      tasks.wrote(isWhole)
      unwritten.clear()
    },
    lacks: unwritten.has,
    leftOut: tasks.isLeftOut,
    recall: tasks.recall,
    forget() {
      tasks.forget()
      counts.forget()
      folds.forget()
      moves.forget()
      erased.forget()
      deletions.forget()
      unwritten.clear()
      keys.forget()
      steps.forget()
    },
  }
}
