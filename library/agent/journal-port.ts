// What the context of the code and the host ask of the journal of a task.
import type { EntryKind, EntryResult, MachineState } from '../../src/contract/code-agent.ts'

/** What code asks for. `fields` go to the server. The digest is made from `compared`, or from `fields` if it is absent. */
export type Asked = {
  do: EntryKind
  name?: string
  fields?: Record<string, unknown>
  compared?: unknown
  timeout?: number | undefined
  signal?: AbortSignal | undefined
  /** How errors name the call, for example `ctx.tool('find_order')`. */
  what: string
}
export type Journal = {
  /** Aborts when the lease ends. */
  signal: AbortSignal
  /** Asks for an entry, and resolves with the value of its result. Rejects with a CallError, or an error of misuse. */
  ask(asked: Asked): Promise<unknown>
  /** Like `ask`, with the number of the entry. Throws an error of misuse. */
  begin(asked: Asked): { n: number; result: Promise<unknown> }
  /** Makes an entry without a result. */
  tell(asked: Asked): void
  run(
    name: string,
    fn: (tools: { signal: AbortSignal }) => unknown,
    asked: Asked & { safe: boolean },
  ): Promise<unknown>
  history(what: string): Promise<unknown>
  now(): number
  random(): number
  /** The statechart has moved. */
  moved(state: MachineState): void
  /** Runs the code. */
  start(main: () => unknown): void
  /** Ends the task, because of an error that nothing in the code has caught. */
  fail(error: unknown): void
  /** Messages of the server: results, a run that may start, and the history. */
  take(results: EntryResult[]): void
  takeRun(n: number): void
  takeHistory(answer: { value?: unknown; error?: { message?: string } | string }): void
  /** The connection can take more. */
  resume(): void
  /** Stops the code: nothing more is sent. Resolves when the functions that still run have come to their end. */
  stop(reason: Error): Promise<unknown>
  /**
   * The code gets no further results. Resolves when no run is left that the server has stored, and their outcomes were sent,
   * or when the lease has ended.
   */
  drain(): Promise<void>
}
