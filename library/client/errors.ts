// The errors of the client that are no refusals of the server. refusals.ts has the refusals.
import type { Task } from './types.ts'

/** One problem of a request that is not valid: its place, what is wrong, and its kind. */
export type Problem = { loc: (string | number)[]; msg: string; type: string }

export type ErrorFields = {
  /** The HTTP status; 0: there is no answer. */
  status?: number
  /** The code of the error object; undefined: the answer has none. */
  code?: number | undefined
  /** The id of the request, by which the log of the server finds it. */
  requestId?: string | undefined
  /** What to do. */
  hint?: string | undefined
  /** The address of the explanation. */
  docs?: string | undefined
  /** More about the error. Programs may read its fields. */
  data?: Record<string, unknown>
  /** What is wrong with a request that is not valid. */
  problems?: Problem[]
  /** Milliseconds after which the server wants to be asked again. */
  retryAfter?: number | undefined
  cause?: unknown
}

/** Every error of the client. Its class says what has failed. */
export class RepriseError extends Error {
  override name = 'RepriseError' // a program that is made smaller may rename classes
  readonly status: number
  readonly code: number | undefined
  readonly requestId: string | undefined
  readonly hint: string | undefined
  readonly docs: string | undefined
  readonly data: Record<string, unknown>
  readonly problems: Problem[]
  readonly retryAfter: number | undefined

  constructor(message: string, { cause, ...fields }: ErrorFields = {}) {
    super(message, cause === undefined ? {} : { cause })
    this.status = fields.status ?? 0
    this.code = fields.code
    this.requestId = fields.requestId
    this.hint = fields.hint
    this.docs = fields.docs
    this.data = fields.data ?? {}
    this.problems = fields.problems ?? []
    this.retryAfter = fields.retryAfter
  }
}

/** The server cannot be reached, or the connection has broken, for longer than the client is patient. */
export class ConnectionFailed extends RepriseError {
  override name = 'ConnectionFailed'
}

/** The task has not completed, so it has no final text. */
export class NotCompleted extends RepriseError {
  override name = 'NotCompleted'
  readonly task: Task

  constructor(task: Task) {
    const why = task.error === undefined ? '' : `: ${task.error.message}`
    super(`the task ${task.id} is ${task.status}${why}`, {
      code: task.error?.code,
      hint: 'Read `task` of this error, which says how it stands.',
    })
    this.task = task
  }
}

/** The signature of a webhook is missing or wrong, or its time is too far away. */
export class BadSignature extends RepriseError {
  override name = 'BadSignature'
}
