// The streams of tasks: live frames for subscribers, stored frames, and the number of the frame after which a caller's
// stream begins when the caller has just supplied results.
import type { SavedFolds } from '../../projections/tasks/saved-folds.ts'
import { createFeeds, type FeedRequest, nextFrame } from '../bus/feed.ts'
import { storedFrames } from '../bus/past-frames.ts'
import { taskEvents } from '../contract/decoders/task.ts'
import type { TaskEventData } from '../contract/events/task-events.ts'
import { Refusal } from '../contract/refusals.ts'
import { taskStream } from '../contract/task-stream.ts'
import { type Pause, readWithPauses } from '../fairness/slices.ts'
import { createRenderer } from '../history/frame-renderer.ts'
import type { Frame } from '../history/frames.ts'
import type { EventLog } from '../log/log.ts'
import { createBegunFolds } from './begun-folds.ts'
import { hasBrought, lastFrameOfAnswers, wereTaken } from './call-answers.ts'

export const createTaskStreams = (log: EventLog, folds: SavedFolds) => {
  const { rendererAt } = createBegunFolds(log, folds)
  const feeds = createFeeds({ log, rendererAt })
  return {
    /** Past frames, then live ones. `isNew`: the task has no events yet. */
    open: (request: FeedRequest, isNew = false) =>
      isNew ? feeds.openNew(request, createRenderer(log.readStream)) : feeds.open(request),
    /** Ends all streams of a task, since it was erased. */
    erase: feeds.erase,
    /** The stored frames of a task after the frame with the number `after`. */
    async *stored(stream: string, after: number, pause: Pause): AsyncGenerator<Frame> {
      const read = readWithPauses(log.readStream, pause)
      const renderer = await rendererAt(stream, after + 1)
      yield* storedFrames(revision => read(stream, revision), renderer, after)
    },
    /** The request that made a task, without its secrets. */
    async created(stream: string): Promise<TaskEventData<'TaskCreated'>> {
      for await (const page of log.readStream(stream)) {
        for (const stored of page) {
          const event = taskEvents.read(stored)
          if (event.type === 'TaskCreated') return event.data
        }
      }
      throw new Refusal('TaskNotFound')
    },
    /** The number that the next frame will have. */
    next: (stream: string) => nextFrame(log, stream),
    /** The number of the last frame that shows the acceptance of these answers. */
    afterAnswers: (taskId: string, callIds: string[]) => lastFrameOfAnswers(log, taskStream(taskId), callIds),
    /** Whether a task has taken the results of this body before. */
    wereTaken: (body: Parameters<typeof wereTaken>[1], pause: Pause) =>
      wereTaken(readWithPauses(log.readStream, pause), body),
    /** Whether a task has taken the answers of a request with this digest. */
    hasTaken: (taskId: string, digest: string, pause: Pause) =>
      hasBrought(readWithPauses(log.readStream, pause), taskStream(taskId), digest),
  }
}
export type TaskStreams = ReturnType<typeof createTaskStreams>
