// Stores the output of a running step as it comes. The first text is stored at once. Text that comes soon after a write
// is collected for the next write.
import type { PlannedCall, RecordedEnd, StepEvent } from '../../src/contract/commands.ts'
import type { Clock, Timers } from '../../src/contract/ports.ts'
import type { Recorder } from './recorder.ts'
import { deltaCharacters } from './step-draft.ts'
import type { Stop } from './step-stop.ts'

export type StepReport = { events: StepEvent[]; end?: RecordedEnd; calls?: PlannedCall[] }

/** The least time between two writes of streamed text, milliseconds. Text that fills a delta does not wait. */
const flushMs = 50

/** `report` stores the given events and end, and rejects when they cannot be stored. */
export const createStepWriter = (
  recorder: Recorder,
  stop: Stop,
  report: (report: StepReport) => Promise<void>,
  { clock, timers }: { clock: Clock; timers: Timers },
) => {
  let writing: Promise<void> = Promise.resolve()
  let isWriting = false
  let isOver = false
  let cancelTimer: (() => void) | undefined
  let wroteAt = Number.NEGATIVE_INFINITY

  const write = (end?: RecordedEnd, calls: PlannedCall[] = []): Promise<void> => {
    cancelTimer?.()
    cancelTimer = undefined
    if (stop.aborted()) return Promise.resolve()
    wroteAt = clock.now()
    const events = recorder.take()
    isWriting = true
    writing = report(
      end === undefined ? { events } : calls.length === 0 ? { events, end } : { events, end, calls },
    ).finally(() => {
      isWriting = false
    })
    return writing
  }
  const writeIn = (ms: number) => {
    cancelTimer ??= timers.after(ms, () => {
      cancelTimer = undefined
      if (!isOver) void writing.then(() => (isOver ? undefined : write())).catch(() => stop.abort())
    })
  }
  const writeSoon = () => {
    const wait = wroteAt + flushMs - clock.now()
    if (wait <= 0) cancelTimer?.()
    if (wait <= 0) cancelTimer = undefined
    writeIn(Math.max(0, wait))
  }

  return {
    /** Stores the output so far and, if given, the end of the step. */
    write,
    /** Resolves when the write under way has ended; rejects when it has failed. */
    written: () => writing,
    writeLater: () => writeIn(flushMs),
    /** Chooses when new output is stored. `characters`: how much text waits. */
    schedule(characters: number, isDelta: boolean) {
      if (characters >= deltaCharacters && !isWriting) void write().catch(() => stop.abort())
      else if (isDelta) writeSoon()
      else writeIn(flushMs)
    },
    /** Ends the timed writes. Only `write` still stores. */
    end() {
      isOver = true
      cancelTimer?.()
    },
  }
}
