// The streams of tasks: what their subscribers follow, what is stored of them, and where a caller's own part begins.
import type { SavedFolds } from '../../projections/tasks/saved-folds.ts'
import { createFeeds, type FeedWish, nextFrame } from '../bus/feed.ts'
import { storedFrames } from '../bus/past-frames.ts'
import { taskStream } from '../contract/task-stream.ts'
import { type Pause, readWithPauses } from '../fairness/slices.ts'
import type { Frame } from '../history/frames.ts'
import { createTeller } from '../history/telling.ts'
import type { EventLog } from '../log/log.ts'
import { lastFrameOfAnswers } from './answers.ts'
import { createBegunFolds } from './begun-folds.ts'

export const createTaskStreams = (log: EventLog, folds: SavedFolds) => {
  const { tellerAt } = createBegunFolds(log, folds)
  const feeds = createFeeds({ log, tellerAt })
  return {
    /** Past frames, then live ones. */
    open: (wish: FeedWish, isNew = false) =>
      isNew ? feeds.openNew(wish, createTeller(log.readStream)) : feeds.open(wish),
    /** The stored frames of a task after a number. */
    async *stored(stream: string, after: number, pause: Pause): AsyncGenerator<Frame> {
      const read = readWithPauses(log.readStream, pause)
      const teller = await tellerAt(stream, after + 1)
      yield* storedFrames(revision => read(stream, revision), teller, after)
    },
    /** The number that the next frame will have. */
    next: (stream: string) => nextFrame(log, stream),
    /** The number of the last frame that came of the acceptance of these answers. */
    afterAnswers: (taskId: string, callIds: string[]) => lastFrameOfAnswers(log, taskStream(taskId), callIds),
  }
}
export type TaskStreams = ReturnType<typeof createTaskStreams>
