// Writes the file of the read models anew when its free space may have texts of what was erased. The file itself knows
// whether it has, so this goes on after a crash, and when another node has completed the erasure.
import type { Projector } from '../../projections/projector.ts'
import type { Report, Timers } from '../contract/ports.ts'

type Deps = {
  models: Pick<Projector, 'hasTraces' | 'erased' | 'rewrite'>
  timers: Timers
  report: Report
}

/** Milliseconds until it is tried again after it has failed. */
const againMs = 30_000

export const createTraceRemoval = ({ models, timers, report }: Deps) => {
  let isRunning = false
  let isEnded = false

  const removeAll = async (): Promise<void> => {
    while (!isEnded && models.hasTraces()) {
      await models.erased()
      if (!isEnded) await models.rewrite()
    }
  }
  const remove = (): void => {
    if (isRunning || isEnded) return
    isRunning = true
    removeAll()
      .catch(error => {
        if (isEnded) return
        report('warn', 'the read models could not be written anew', { error: String(error) })
        timers.after(againMs, remove)
      })
      .finally(() => {
        isRunning = false
      })
  }
  return {
    /** Removes traces, if there are some. Does not wait for it. */
    remove,
    /** Called when the file is about to be closed. */
    end(): void {
      isEnded = true
    },
  }
}
