// The errors of requests: refusals of the server, and a server that cannot be reached.

/** What is wrong with a field of a body. `at`: the path of the field in the body, such as `task.client_id`. */
export type FieldProblem = { at: string; text: string }

/**
 * Thrown when an answer is no success. `status` is 0 when there was no answer at all. `problems`: what is wrong with
 * the fields of the body.
 */
export class ApiError extends Error {
  readonly status: number
  readonly code: number | undefined
  readonly problems: readonly FieldProblem[]

  constructor(status: number, message: string, code?: number, problems: readonly FieldProblem[] = []) {
    super(message)
    this.status = status
    this.code = code
    this.problems = problems
  }
}

/** Statuses of refusals that say nothing about the request itself: the same request may succeed later. */
const passing: readonly number[] = [408, 429]

/** Whether the server refused the request, and would refuse it again. */
export const isRefusal = ({ status }: ApiError): boolean =>
  status >= 400 && status < 500 && !passing.includes(status)

/** What a proxy answers for a server that it cannot reach. */
export const isOfProxy = (status: number): boolean => status === 502 || status === 504

/** Whether there was no answer of the server itself. It may come back at any moment. */
export const isUnreached = ({ status }: ApiError): boolean => status === 0 || isOfProxy(status)

/** Makes the error for a field in which the page finds a problem before it asks the server. */
export const wrongField = (at: string, text: string): ApiError =>
  new ApiError(422, text, undefined, [{ at, text }])

/**
 * Thrown when the server answers requests, but no WebSocket reaches it, as behind a proxy that forwards none. Then views
 * ask again and again.
 */
export class NoSocket extends ApiError {
  constructor() {
    super(0, 'no WebSocket reaches the server')
  }
}

type Problem = { loc: (string | number)[]; msg: string }
export type Refused = { message: string; code: number; data?: { hint?: string } }
type ErrorBody = Partial<Refused> & { error?: Refused; detail?: Problem[] | string }

/** What is so, and what to do about it. */
export const wordsOf = ({ message, data }: Pick<Refused, 'message' | 'data'>): string =>
  data?.hint === undefined ? message : `${message}. ${data.hint.replaceAll('`', '')}`

export const errorOf = (status: number, text: string): ApiError => {
  try {
    const { detail, error, ...bare } = JSON.parse(text) as ErrorBody
    const found = Array.isArray(detail) ? detail : []
    const named = found.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ')
    const message = bare.message ?? (named === '' ? `the server answered ${status}` : named)
    const ofBody = found.filter(({ loc }) => loc[0] === 'body' && loc.length > 1)
    const problems = ofBody.map(({ loc, msg }) => ({ at: loc.slice(1).join('.'), text: msg }))
    return new ApiError(status, wordsOf(error ?? { ...bare, message }), error?.code ?? bare.code, problems)
  } catch {
    return new ApiError(status, `the server answered ${status}`)
  }
}

const unreached = 'the server cannot be reached'
export const unreachable = (error: unknown): ApiError =>
  new ApiError(0, `${unreached} (${error instanceof Error ? error.message : String(error)})`)
/** Whether this is the text of an error of `unreachable`. */
export const saysUnreached = (text: string): boolean => text.startsWith(unreached)
