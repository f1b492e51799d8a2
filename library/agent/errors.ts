// The errors with which calls of `ctx` fail. `kind` says how a call failed, the class says what was called.
import type { EntryError, EntryKind } from '../../src/contract/code-agent.ts'

/** A call of `ctx` that has failed. */
export class CallError extends Error {
  /** How the call failed: `tool`, `model`, `agent`, `ask`, `env`, `run`, `refused` (it was not allowed), `timeout` or `dropped`. */
  readonly kind: string
  /** The code of the error, when the server or the function gave one. */
  readonly code: number | string | undefined
  /** More about the error, when the server or the function gave it. */
  readonly data: unknown

  constructor({
    kind,
    message,
    code,
    data,
  }: { kind: string; message: string; code?: number | string; data?: unknown }) {
    super(message)
    this.name = new.target.name
    this.kind = kind
    this.code = code
    this.data = data
  }

  /** The error as JSON, so that the context of a statechart can hold it. */
  toJSON(): object {
    const { name, message, kind, code, data } = this
    return { name, message, kind, code, data }
  }
}
/** A tool, or a step of an environment, has failed. */
export class ToolError extends CallError {}
/** A model has given no answer. */
export class ModelError extends CallError {}
/** Another agent has failed. */
export class AgentFailed extends CallError {}
/** A question has got no answer. */
export class AskError extends CallError {}
/** An environment could not be reset or observed. */
export class EnvironmentError extends CallError {}
/** The function of a `ctx.run` has thrown. */
export class RunError extends CallError {}
/** A call has taken longer than its `timeout`. */
export class TimeoutError extends CallError {}

const classes: Partial<Record<EntryKind, typeof CallError>> = {
  tool: ToolError,
  model: ModelError,
  agent: AgentFailed,
  ask: AskError,
  env: EnvironmentError,
  run: RunError,
}

/**
 * The error of an entry. `what` names the call.
 * @internal
 */
export const callErrorOf = (error: EntryError, asked: EntryKind, what: string): CallError => {
  if (error.kind === 'timeout')
    return new TimeoutError({ ...error, message: error.message || `${what} took too long` })
  const Failed = classes[asked] ?? CallError
  return new Failed({ ...error, message: error.message || `${what} failed` })
}
