// Makes an error of an answer of the server that is a refusal.
import { type ErrorFields, type Problem, RepriseError } from './errors.ts'
import { byName, byStatus } from './refusal-classes.ts'

type ErrorObject = { code?: number; message?: string; data?: Record<string, unknown> }
type Body = ErrorObject & { error?: ErrorObject; detail?: Problem[] | string }

const bodyOf = (text: string): Body => {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? body : {}
  } catch {
    return {} // what stands between the client and the server answers in forms of its own
  }
}

/** The class of a refusal. The link to its explanation ends with its name. */
const classOf = (status: number, docs: unknown): typeof RepriseError => {
  const name = String(docs).match(/#error-(\w+)$/)?.[1] ?? ''
  const named = Object.hasOwn(byName, name) ? byName[name] : undefined
  const isAway = status === 502 || status === 504
  return named ?? byStatus[isAway ? 503 : status] ?? RepriseError
}

/** The error of an answer with a status from 400 on. `root`: the address of the server. */
export const refusedBy = (root: string, answer: Response, text: string): RepriseError => {
  const { status, headers } = answer
  const body = bodyOf(text)
  const { code, message, data = {} } = body.error ?? body
  const problems = Array.isArray(body.detail) ? body.detail : []
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  const fields: ErrorFields = {
    status,
    code,
    data,
    problems,
    requestId: headers.get('x-request-id') ?? undefined,
    hint: typeof data.hint === 'string' ? data.hint : undefined,
    docs: typeof data.docs === 'string' ? data.docs.replace(/^\//, `${root}/`) : undefined,
    retryAfter: seconds >= 0 ? seconds * 1000 : undefined,
  }
  const wrong = problems.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ')
  const said = message ?? (wrong === '' ? `the answer is ${status}` : `invalid request: ${wrong}`)
  return new (classOf(status, data.docs))(said, fields)
}
