// Fills read models from a log, up to a position, and reports the progress.
import type { Report, Timers } from '../src/contract/ports.ts'
import type { Log, Recorded } from '../src/contract/stored.ts'
import { createReadModels } from './read-models.ts'
import type { ReadStore } from './store.ts'

type Filled = { store: ReadStore; log: Log; timers: Timers; report: Report }

/** `onProgress` is called after each page, with the position that was reached. `fillTo` rejects with DamagedEvent. */
export const createFiller = (
  { store, log, timers, report }: Filled,
  onProgress: (position: number) => void,
) => {
  let end = 0
  async function* readAll(after = 0): AsyncGenerator<Recorded[]> {
    if (after >= end) return
    for await (const page of log.readAll(after)) {
      const wanted = page.filter(({ position }) => position <= end)
      if (wanted.length > 0) yield wanted
      onProgress(wanted.at(-1)?.position ?? end)
      if (wanted.length < page.length || (page.at(-1)?.position ?? 0) >= end) return
    }
  }
  const projector = createReadModels(store, { ...log, readAll, head: () => end }, timers, report)
  return {
    /** Fills up to this position, inclusive. */
    fillTo(position: number): Promise<void> {
      end = position
      return projector.catchUp()
    },
  }
}
