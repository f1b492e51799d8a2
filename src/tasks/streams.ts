// The public streams of tasks: what is stored, what comes, and where an answer's own part begins.
import { type FeedWish, nextFrame, openFeed, storedFrames } from '../bus/feed.ts'
import { taskStream } from '../contract/task-stream.ts'
import { type Pause, readWithPauses } from '../fairness/slices.ts'
import type { EventLog } from '../log/log.ts'
import { lastFrameOfAnswers } from './answers.ts'

export const createTaskStreams = (log: EventLog) => ({
  /** Past frames, then live ones. */
  open: (wish: FeedWish, isNew?: boolean) => openFeed(log, wish, isNew),
  /** The stored frames of a task after a number. */
  stored: (stream: string, after: number, pause: Pause) =>
    storedFrames(readWithPauses(log.readStream, pause), stream, after),
  /** The number that the next frame will have. */
  next: (stream: string) => nextFrame(log, stream),
  /** The number of the last frame that came of the acceptance of these answers. */
  afterAnswers: (taskId: string, callIds: string[]) => lastFrameOfAnswers(log, taskStream(taskId), callIds),
})
export type TaskStreams = ReturnType<typeof createTaskStreams>
