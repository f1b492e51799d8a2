// The calls that run in this process, by effect. They outlive an actor that leaves memory, for example after a failed
// write: the next actor of the task finds its calls here, with their outcomes, so no call runs twice.
import type { CallOutcome, StepEvent } from '../../../src/contract/commands/commands.ts'
import { Interrupted, OutcomeUnknown, type ToolOutput } from '../../../src/contract/tools.ts'
import type { AskedQuestions } from '../../../src/history/task/calls.ts'

/** The call began before the server restarted, and its outcome is unknown. */
export type UnknownOutcome = { status: 'unknown'; content: string }

export type RunningCall = {
  stop(): void
  /** Stops the call because the process ends. What goes on outside is left alone; absent: as `stop`. */
  interrupt?: () => void
  /** Whether it is a subagent's task, which continues after this process has ended. */
  outlives: boolean
  /** The outcome of the call; undefined when `stop` ended the call. Never rejects. */
  outcome: Promise<CallOutcome | UnknownOutcome | undefined>
  /** Takes what the client has answered so far. */
  hear?: (asks: AskedQuestions | undefined) => void
  /** Repeats the newest report to the task, in case the task could not use it when it came. */
  remind?: () => void
  /** The output of the call so far. */
  heard?: () => string
  /** What a call of a model has said at its end and not stored. */
  rest?: () => StepEvent[]
}

export const createRunningCalls = () => {
  const running = new Map<string, RunningCall>()
  return {
    find: (effectId: string) => running.get(effectId),
    add(effectId: string, call: RunningCall): RunningCall {
      running.set(effectId, call)
      return call
    },
    /** Drops a call whose result is stored, or will never be stored. */
    forget: (effectId: string) => running.delete(effectId),
    stop() {
      for (const call of running.values()) if (!call.outlives) (call.interrupt ?? call.stop)()
      running.clear()
    },
  }
}
export type RunningCalls = ReturnType<typeof createRunningCalls>

/** Runs a tool. The agent sees a failure as the result of the call. */
export const runTool = (run: (signal: AbortSignal) => Promise<ToolOutput>): RunningCall => {
  const stop = new AbortController()
  const { signal } = stop
  const work = async (): Promise<CallOutcome | UnknownOutcome | undefined> => {
    try {
      const { failed, ...output } = await run(signal)
      if (failed === undefined) return { status: 'completed', ...output }
      return signal.aborted ? undefined : { status: 'incomplete', ...output }
    } catch (error) {
      if (signal.aborted) return undefined
      const content = error instanceof Error ? error.message : String(error)
      return { status: error instanceof OutcomeUnknown ? 'unknown' : 'incomplete', content }
    }
  }
  return {
    stop: () => stop.abort(),
    interrupt: () => stop.abort(new Interrupted('the server stops')),
    outlives: false,
    outcome: work(),
  }
}

/** Watches a subagent's task, also one that was started before the server restarted. */
export const watchChild = (
  child: { ended(): Promise<CallOutcome>; cancel(): Promise<void> },
  later: (job: () => void) => void,
): RunningCall => {
  let over = false
  const outcome = new Promise<CallOutcome>(resolve => {
    const end = (given: CallOutcome) => {
      over = true
      resolve(given)
    }
    // The wait fails when the child's actor leaves memory. Then another wait begins.
    const look = () => void child.ended().then(end, () => later(look))
    look()
  })
  const cancel = (): void => void child.cancel().catch(() => (over ? undefined : later(cancel)))
  return { stop: cancel, outlives: true, outcome }
}
