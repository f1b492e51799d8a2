// Finds where a reader of a task begins: after the newest saved fold that is not past the frame or moment that the
// reader wants, else at the first event.
import type { FoldMoment, SavedFolds } from '../../projections/tasks/saved-folds.ts'
import { taskEvents } from '../contract/decoders/task.ts'
import type { Log } from '../contract/stored.ts'
import type { OutputItem } from '../contract/wire.ts'
import { createLateRenderer, createRenderer, type FrameRenderer } from '../history/frame-renderer.ts'
import { type BegunFold, restoredFold } from '../history/saved-fold.ts'
import { emptyFramed, evolveFramed, type FramedTask } from '../history/task-view.ts'
import { yieldToLoop } from '../platform/loop.ts'

/** The most items that are read from the read models before the event loop runs again. */
const itemsAtOnce = 500

export const createBegunFolds = (log: Log, folds: SavedFolds) => {
  /** The first `before` items of a task, from the read models; undefined when some of them are missing. */
  const storedItems = async (stream: string, before: number): Promise<OutputItem[] | undefined> => {
    const items: OutputItem[] = []
    for (let from = 0; from < before; from += itemsAtOnce) {
      if (from > 0) await yieldToLoop()
      const run = folds.items(stream, from, Math.min(before, from + itemsAtOnce))
      if (run === undefined) return undefined
      for (const item of run) items.push(item)
    }
    return items
  }
  /** The first `before` items of a task, folded from the events up to a revision. */
  const foldedItems = async (stream: string, before: number, revision: number): Promise<OutputItem[]> => {
    const view = emptyFramed()
    for await (const page of log.readStream(stream)) {
      for (const event of page)
        if (event.header.revision <= revision) evolveFramed(view, taskEvents.read(event))
      if (view.revision >= revision) break
    }
    return view.output.slice(0, before)
  }
  const begin = async (stream: string, moment: FoldMoment): Promise<BegunFold | undefined> => {
    const text = folds.before(stream, moment)
    const first = text === undefined ? undefined : await log.firstOf(stream)
    const created = first && taskEvents.read(first)
    if (text === undefined || created?.type !== 'TaskCreated') return undefined
    return restoredFold(text, created.data)
  }
  /** Reads the first `settled` items. The fold that was saved at this revision lacks them: they had settled before. */
  const itemsOf = (stream: string, revision: number) => async (settled: number) =>
    (await storedItems(stream, settled)) ?? foldedItems(stream, settled, revision)

  return {
    /** A renderer that begins at or before the frame `next`. A task with rollouts is rendered from its first event. */
    async rendererAt(stream: string, next: number): Promise<FrameRenderer> {
      const begun = next < 1 ? undefined : await begin(stream, { next })
      if (begun === undefined || begun.view.created?.request.return_rollout)
        return createRenderer(log.readStream)
      return createLateRenderer(log.readStream, begun, itemsOf(stream, begun.view.revision))
    },
    /**
     * The state of a task in its chart at its newest saved fold, and the revision of that fold. Without a saved fold:
     * the state before the first event.
     */
    async newestState(stream: string): Promise<FramedTask> {
      const begun = await begin(stream, { position: log.head() })
      return begun?.view ?? emptyFramed()
    },
    /** A view of the task with all its items, at this moment or an earlier one. */
    async viewBefore(stream: string, moment: FoldMoment): Promise<FramedTask> {
      const begun = await begin(stream, moment)
      if (begun === undefined) return emptyFramed()
      const { view, settled } = begun
      for (const [n, item] of (await itemsOf(stream, view.revision)(settled)).entries()) view.output[n] = item
      return view
    },
  }
}
export type BegunFolds = ReturnType<typeof createBegunFolds>
