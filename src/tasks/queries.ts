// The query service of tasks: everything that only reads. The SQL is in projections/. This file decides when the read
// models are current enough for a query.
import { type Current, createCurrent, type Reading } from '../../projections/current.ts'
import type { ReadStore } from '../../projections/store.ts'
import { createChatSessionRows } from '../../projections/tasks/chat-session.ts'
import { createTaskLists } from '../../projections/tasks/lists.ts'
import { createTaskRows, type TaskRow } from '../../projections/tasks/rows.ts'
import { createFoldReader } from '../../projections/tasks/saved-folds.ts'
import { erasedMark } from '../../projections/tasks/schema.ts'
import { createStepRows } from '../../projections/tasks/steps.ts'
import { createStoredTasks } from '../../projections/tasks/stored.ts'
import { createTaskFileRows } from '../../projections/tasks/task-files.ts'
import { createTwinRows } from '../../projections/tasks/twins.ts'
import { type UnwrittenLog, type UnwrittenRow, unwrittenRow } from '../../projections/tasks/unwritten.ts'
import { createTokenRows } from '../../projections/tokens/rows.ts'
import { aboutSession } from '../../projections/topics.ts'
import type { Principal } from '../contract/events/token-events.ts'
import { isBehind, Refusal } from '../contract/refusals.ts'
import { DamagedEvent, type Log, StorageFailure } from '../contract/stored.ts'
import { taskStream } from '../contract/task-stream.ts'
import type { Pause } from '../fairness/slices.ts'
import type { EventLog } from '../log/log.ts'
import { yieldToLoop } from '../platform/loop.ts'
import { wholeAtMost } from '../platform/pieces.ts'
import { createErasable } from './erasable.ts'

// Decides which tasks a principal may see. For other tasks the answer is the same as if they did not exist.

const mayTouch = (principal: Principal, row: { user_id: string }) =>
  principal.userId === undefined || principal.userId === row.user_id

const createVisibility = (
  { currentFor }: Current,
  byId: (id: string) => TaskRow | undefined,
  log: Pick<Log, 'revisionOf'> & UnwrittenLog,
) => {
  /** The row of a task, once the tables hold everything of its stream. */
  const rowById = (id: string): TaskRow | undefined => currentFor(taskStream(id), () => byId(id))

  /** The row of a task. While the tables cannot be written, it is made from the log if the principal may see it. */
  const shownRow = (principal: Principal, id: string): TaskRow | UnwrittenRow | undefined => {
    try {
      return rowById(id)
    } catch (error) {
      if (!isBehind(error)) throw error
      return unwrittenRow(log, taskStream(id), user_id => mayTouch(principal, { user_id }))
    }
  }

  /** Whether the log finds the stream of a task. When a task with a row has no stream, the log is damaged. */
  const hasEvents = (stream: string): boolean => {
    try {
      return log.revisionOf(stream) !== -1
    } catch (error) {
      if (!(error instanceof StorageFailure)) throw error
      return false
    }
  }

  return {
    rowById,
    /**
     * The row of a task that this principal may see. `withDeleted`: also the row of a deleted task. Throws DamagedEvent
     * when the task has a row, but no events in the log.
     */
    visible(principal: Principal, taskId: string, withDeleted = false): TaskRow | UnwrittenRow {
      const row = shownRow(principal, taskId)
      if (row === undefined || !mayTouch(principal, row)) throw new Refusal('TaskNotFound')
      // The tables may lack an erasure, since its event belongs to no task.
      const isErased = () => row.deleted === erasedMark || log.erasedBy(row.position) !== undefined
      if (row.deleted !== 0 && (!withDeleted || isErased())) throw new Refusal('TaskNotFound')
      if (!hasEvents(taskStream(taskId))) throw new DamagedEvent(row.position, 'is not found in its stream')
      return row
    },
    isVisible: (principal: Principal, row: TaskRow): boolean => row.deleted === 0 && mayTouch(principal, row),
  }
}

// What the server itself asks the read models, to decide on tasks. Nobody sees the rows, so they need not be committed, and
// a query about one chat session waits only for the rows that concern it.

const createOwnQueries = (
  store: ReadStore,
  { currentOn }: Pick<Current, 'currentOn'>,
  rows: Pick<ReturnType<typeof createTaskRows>, 'overdue' | 'inputIds'>,
) => {
  const chatSession = createChatSessionRows(store)
  const twins = createTwinRows(store)
  const files = createTaskFileRows(store)
  const inSession = <Answer>(sessionId: string, ask: () => Answer): Answer =>
    currentOn(aboutSession(sessionId), ask)
  return {
    /** The ids of the inputs of a task of this chat session. */
    inputIds: (sessionId: string, taskId: string) => inSession(sessionId, () => rows.inputIds(taskId)),
    lastInSession: (userId: string, sessionId: string) =>
      inSession(sessionId, () => chatSession.last(userId, sessionId)),
    sessionContext: (userId: string, sessionId: string) =>
      inSession(sessionId, () => chatSession.context(userId, sessionId)),
    conversation: (userId: string, sessionId: string, position: number) =>
      inSession(sessionId, () => chatSession.conversation(userId, sessionId, position)),
    waitingInSession: (userId: string, sessionId: string) =>
      inSession(sessionId, () => chatSession.waiting(userId, sessionId)),
    twins: (...given: Parameters<typeof twins>) => currentOn(undefined, () => twins(...given)),
    overdue: (now: number) => currentOn(undefined, () => rows.overdue(now)),
    missingFiles: (...given: Parameters<typeof files.missing>) =>
      currentOn(undefined, () => files.missing(...given)),
    fileSettled: files.settle,
  }
}

export type { TaskRow } from '../../projections/tasks/rows.ts'
export type { TaskFile } from '../../projections/tasks/task-files.ts'
export type { MakerRow, TokenRow } from '../../projections/tokens/rows.ts'

export const createQueries = (store: ReadStore, projector: Reading, log: EventLog) => {
  const { isCurrent, flush, reading } = projector
  const whenCurrent = createCurrent(projector)
  /**
   * Wraps a query, so that pending rows are written before it runs. Throws ReadModelsBehind when the tables still lack
   * events of the log.
   */
  const current =
    <Given extends unknown[], Answer>(ask: (...given: Given) => Answer) =>
    (...given: Given): Answer =>
      whenCurrent.current(() => ask(...given))

  const rows = createTaskRows(store)
  const tokens = createTokenRows(store)
  const stored = createStoredTasks(store, reading, log)
  const lists = createTaskLists({ store, stored, reading, isCurrent, rowById: rows.byId, head: log.head })

  return {
    /** Saved folds of long tasks, which may be missing. */
    folds: createFoldReader(store, reading),
    ...createVisibility(whenCurrent, rows.byId, log),
    /** The position of the event that ended a task; undefined: it has not ended. */
    endOf: (id: string) => whenCurrent.currentFor(taskStream(id), () => rows.endOf(id)),
    /** The text of a task whose row was just found. */
    task: (position: number, pause: Pause = yieldToLoop) =>
      reading(() => stored.text(position, wholeAtMost, pause)),
    /** The text of a task as one string, however long. */
    taskText: (position: number): string => reading(() => stored.whole(position)),
    /** The text of a task in parts: first the fields, then each item. */
    textsOf: stored.texts,
    list: current(lists.list),
    listThen: current(lists.listThen),
    countTasks: current(lists.count),
    unfinished: current(rows.unfinished),
    pausedFor: current(rows.pausedFor),
    ...createOwnQueries(store, whenCurrent, rows),
    erasable: createErasable(store, whenCurrent),
    steps: createStepRows(store, whenCurrent.current),
    /** The number of tasks in each status, at the position of the read models. */
    taskCounts(): Record<string, number> {
      flush()
      try {
        return reading(rows.counts)
      } catch (error) {
        if (error instanceof Refusal) return {}
        throw error
      }
    },
    userOfPrincipal: current(tokens.userOf),
    tokens: current(tokens.all),
    makers: current(tokens.makers),
    hasToken: current(tokens.hasOne),
    headPosition: () => log.head(),
    isCurrent,
    caughtUp: projector.caughtUp,
  }
}
export type Queries = ReturnType<typeof createQueries>
