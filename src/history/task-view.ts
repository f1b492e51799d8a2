// The views of a task: folds of its stream for different purposes. A reader uses the smallest view that it needs. The
// parts of views are in task/. Only the reader that made a view changes it, in place.
import { type Account, account } from './task/account.ts'
import { type Approvals, approvals } from './task/approvals.ts'
import { type Calls, calls } from './task/calls.ts'
import { type Code, code } from './task/code.ts'
import type { Course } from './task/course.ts'
import { type Journal, journal } from './task/journal.ts'
import { type Messages, messages } from './task/messages.ts'
import { type ModelCalls, modelCalls } from './task/model-calls.ts'
import { type Output, output } from './task/output.ts'
import { viewOf } from './task/part.ts'
import { type Records, records } from './task/records.ts'
import { type Requests, requests } from './task/requests.ts'
import { type Steps, steps } from './task/steps.ts'
import { type Turns, turns } from './task/turns.ts'
import { type Waits, waits } from './task/waits.ts'

/** The view for frames: the task object, and the items and calls that events name. */
export type FramedTask = Course & Code & Output & Calls & Approvals & Waits & Account
/** The view for all that clients see: the task object, its frames, its place in lists and in its chat session. */
export type ShownTask = FramedTask & Messages
/** The view for the context of a model. */
export type SeenTask = Course & Output & Messages & ModelCalls
/** The view of the actor of a task: for its decisions, its answers and the context of its model. */
export type DecidedTask = ShownTask & ModelCalls & Steps & Requests & Turns & Journal
/** The whole view, which also has the data for rollouts and ATIF documents. */
export type TaskView = DecidedTask & SeenTask & Records

const framedParts = [code, output, calls, approvals, waits, account]
const shownParts = [...framedParts, messages]
export const { empty: emptyFramed, evolve: evolveFramed } = viewOf<FramedTask>(framedParts)
export const { empty: emptyShown, evolve: evolveShown } = viewOf<ShownTask>(shownParts)
/** The view for a survey of rollouts: the creation of the task, its subagents and its rewards. */
export const { empty: emptyRecords, evolve: evolveRecords } = viewOf<Course & Records>([records])
export const { empty: emptySeen, evolve: evolveSeen } = viewOf<SeenTask>([output, messages, modelCalls])
const decidedParts = [...shownParts, modelCalls, steps, requests, turns, journal]
export const { empty: emptyDecided, evolve: evolveDecided } = viewOf<DecidedTask>(decidedParts)
export const { empty: emptyTask, evolve } = viewOf<TaskView>([...decidedParts, records])
