// Stores the output of a running step as it comes. The first text is stored at once. Text that comes soon after a write
// is collected for the next moment of the pace that all steps share.
import type { PlannedCall, RecordedEnd, StepEvent } from '../../../src/contract/commands/commands.ts'
import type { Clock, Timers } from '../../../src/contract/ports.ts'
import type { Recorder } from './recorder.ts'
import { deltaCharacters } from './step-draft.ts'
import type { Stop } from './step-stop.ts'
import type { WritePace } from './write-pace.ts'

export type StepReport = { events: StepEvent[]; end?: RecordedEnd; calls?: PlannedCall[] }

/** The start of a step, and items that came whole, wait this many milliseconds for the end of the step. */
const quietMs = 50

/** `report` stores the given events and end, and rejects when they cannot be stored. */
export const createStepWriter = (
  recorder: Recorder,
  stop: Stop,
  report: (report: StepReport) => Promise<void>,
  { clock, timers, pace }: { clock: Clock; timers: Timers; pace: WritePace },
) => {
  let writing: Promise<void> = Promise.resolve()
  let isWriting = false
  let isOver = false
  let isStreaming = false
  /** Whether the next write begins as soon as the write under way has ended, with all text that comes until then. */
  let isDue = false
  let cancelTimer: (() => void) | undefined
  let wroteAt = Number.NEGATIVE_INFINITY

  const write = (end?: RecordedEnd, calls: PlannedCall[] = []): Promise<void> => {
    cancelTimer?.()
    cancelTimer = undefined
    isDue = false
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
    if (isDue) return
    cancelTimer ??= timers.after(ms, () => {
      cancelTimer = undefined
      isDue = true
      void writing.then(() => (isOver || !isDue ? undefined : write())).catch(() => stop.abort())
    })
  }
  const writeSoon = () => {
    if (!isStreaming) pace.join()
    isStreaming = true
    const wait = pace.wait(wroteAt)
    if (wait === 0) cancelTimer?.()
    if (wait === 0) cancelTimer = undefined
    writeIn(wait)
  }

  return {
    /** Stores the output so far and, if given, the end of the step. */
    write,
    /** Resolves when the write under way has ended; rejects when it has failed. */
    written: () => writing,
    writeLater: () => writeIn(quietMs),
    /** Chooses when new output is stored. `characters`: how much text waits. */
    schedule(characters: number, isDelta: boolean) {
      if (characters >= deltaCharacters && !isWriting) void write().catch(() => stop.abort())
      else if (isDelta) writeSoon()
      else writeIn(quietMs)
    },
    /** Ends the timed writes. Only `write` still stores. */
    end() {
      isOver = true
      cancelTimer?.()
      if (isStreaming) pace.leave()
      isStreaming = false
    },
  }
}
