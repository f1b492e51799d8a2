// The tasks read model: one row for each task and one for each item. Events are folded in memory. Each write writes a
// changed task once, however many events it had since the last write. While new events only add text to an open item of
// a task, the task is not written until a query asks, since each write would write the whole item again.

import type { Lifecycle } from '../../src/contract/charts/task-chart.ts'
import { erasureEvents } from '../../src/contract/decoders/erasure.ts'
import { type RecordedTaskEvent, taskEvents } from '../../src/contract/decoders/task.ts'
import type { Log } from '../../src/contract/stored.ts'
import { isTaskStream, taskIdOf } from '../../src/contract/task-stream.ts'
import { isTerminal } from '../../src/contract/wire.ts'
import { isCodeCall } from '../../src/history/code-call.ts'
import { evolveShown, type ShownTask } from '../../src/history/task-view.ts'
import type { Projection } from '../folding.ts'
import type { ReadStore } from '../store.ts'
import { soundRow, sumOfRow } from '../sums.ts'
import { aboutSession, createUnwrittenTopics } from '../topics.ts'
import { createErasedTasks } from './erased.ts'
import { createFollowedTasks, type Limits } from './followed.ts'
import { rowColumns } from './rows.ts'
import { createFoldWriter } from './saved-folds.ts'
import type { TaskKeys } from './schema.ts'
import { type CountWriter, createCountWriter } from './stored-counts.ts'
import { isTalk } from './talking.ts'
import { createTaskWriter } from './write-task.ts'

// Writes the completed agent steps of tasks; of tasks whose agent is code, the calls of models. The steps that a fork has
// copied are left out.

const createStepRows = (store: ReadStore) => {
  const put = store.prepare('INSERT INTO steps (position, task) VALUES (?, ?)')
  let due: [position: number, task: number][] = []
  return {
    /** `task`: the key of the task's row. */
    follow(task: number, event: RecordedTaskEvent, { agentVersion }: ShownTask): void {
      const { type, header, position } = event
      const isStep = agentVersion === undefined ? type === 'AgentStepCompleted' : isCodeCall(event)
      if (isStep && header.copy_of === undefined) due.push([position, task])
    },
    write(): void {
      for (const step of due) put.run(...step)
      due = []
    },
    forget(): void {
      due = []
    },
  }
}

// Writes the moves of tasks between statuses, with their positions. Two moves are left out, because they follow from
// the row of the task: its end, and the move to `working` of a task that starts in the append of its creation.

/** The number of events in a first append that also starts the task: TaskCreated, AgentSpawned, TaskStarted. */
const firstEvents = 3

const createMoveWriter = (store: ReadStore) => {
  const put = store.prepare('INSERT OR REPLACE INTO task_moves (task, position, status) VALUES (?, ?, ?)')
  let due: [task: number, position: number, status: string][] = []
  return {
    /** Called after each event of a task. `task`: the key of the task's row. */
    follow(task: number, before: Lifecycle, { status, position }: ShownTask): void {
      if (status === before || status === 'absent' || status === 'created' || isTerminal(status)) return
      if (status === 'working' && position < task + firstEvents) return
      due.push([task, position, status])
    },
    write(): void {
      for (const move of due) put.run(...move)
      due = []
    },
    forget(): void {
      due = []
    },
  }
}

// Marks tasks as deleted whose events are not in memory. A deletion changes nothing else of a task, so its events need
// not be read.

type Row = TaskKeys & { row_sum: number; task: number }

const createDeletions = (store: ReadStore, counts: CountWriter) => {
  const rowOf = store.prepare<[string], Row>(`SELECT ${rowColumns}, position AS task FROM tasks WHERE id = ?`)
  const mark = store.prepare(
    'UPDATE tasks SET deleted = 1, deleted_position = ?, row_sum = ? WHERE position = ?',
  )
  let due: { id: string; position: number }[] = []
  return {
    /** `position`: of the event that deleted the task. */
    follow: (id: string, position: number): void => void due.push({ id, position }),
    write(): void {
      for (const { id, position } of due) {
        const row = rowOf.get(id)
        if (row === undefined) throw new Error(`the deleted task ${id} has no row`)
        if (row.deleted !== 0) continue // it is erased
        const { user_id, agent, subtask, status } = soundRow(row)
        mark.run(position, sumOfRow<TaskKeys>({ ...row, deleted: 1 }, {}), row.task)
        const key = { user_id, agent, subtask, status }
        counts.move({ ...key, deleted: 0 }, { ...key, deleted: 1 })
      }
      due = []
    },
    forget(): void {
      due = []
    },
  }
}

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
  const steps = createStepRows(store)

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
        steps.follow(task.row, event, task.view)
      }
    },
    write(isWhole) {
      for (const task of tasks.due(isWhole)) writeTask(task)
      deletions.write()
      tasks.list(isWhole)
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
      steps.forget()
    },
  }
}
