// The views of a task: the fold of its stream, by purpose. A reader folds no more than it shows or decides by; what the parts
// mean is said in task/. A view is changed in place by its one owner.
import { type Account, account } from './task/account.ts'
import { type Calls, calls } from './task/calls.ts'
import type { Course } from './task/course.ts'
import { type Messages, messages } from './task/messages.ts'
import { type ModelCalls, modelCalls } from './task/model-calls.ts'
import { type Output, output } from './task/output.ts'
import { viewOf } from './task/part.ts'
import { type Records, records } from './task/records.ts'
import { type Requests, requests } from './task/requests.ts'
import { type Steps, steps } from './task/steps.ts'
import { type Waits, waits } from './task/waits.ts'

/** What frames are made of: the task object, and the items and calls that an event speaks of. */
export type FramedTask = Course & Output & Calls & Waits & Account
/** What the wire shows: the task object, its frames, its place in lists and in its session. */
export type ShownTask = FramedTask & Messages
/** What a model sees of the task. */
export type SeenTask = Course & Output & Messages & ModelCalls
/** What an actor has of its task: what it decides by, shows to its callers and gives to its model. */
export type DecidedTask = ShownTask & ModelCalls & Steps & Requests
/** All of it: also what records of the task hold. */
export type TaskView = DecidedTask & SeenTask & Records

const framedParts = [output, calls, waits, account]
const shownParts = [...framedParts, messages]
export const { empty: emptyFramed, evolve: evolveFramed } = viewOf<FramedTask>(framedParts)
export const { empty: emptyShown, evolve: evolveShown } = viewOf<ShownTask>(shownParts)
export const { empty: emptySeen, evolve: evolveSeen } = viewOf<SeenTask>([output, messages, modelCalls])
const decidedParts = [...shownParts, modelCalls, steps, requests]
export const { empty: emptyDecided, evolve: evolveDecided } = viewOf<DecidedTask>(decidedParts)
export const { empty: emptyTask, evolve } = viewOf<TaskView>([...decidedParts, records])
