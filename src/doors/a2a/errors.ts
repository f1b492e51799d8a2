// Errors in the two forms of A2A. Those that the protocol names have its code, status and reason; every other refusal has its
// own. The message also says what to do, since clients show little else.
import type { RpcError } from '../../contract/a2a/objects.ts'
import { Invalid, type Problem, Refusal, type RefusalName } from '../../contract/refusals.ts'

/** For each error of the protocol: its code in JSON-RPC, and its status in HTTP+JSON. */
const named = {
  TASK_NOT_FOUND: { code: -32001, http: 404 },
  TASK_NOT_CANCELABLE: { code: -32002, http: 400 },
  UNSUPPORTED_OPERATION: { code: -32004, http: 400 },
  CONTENT_TYPE_NOT_SUPPORTED: { code: -32005, http: 400 },
  VERSION_NOT_SUPPORTED: { code: -32009, http: 400 },
} as const
export type A2AErrorName = keyof typeof named

const domain = 'a2a-protocol.org'

/** An error of the protocol. `metadata`: what else a program may want to know. */
export class A2AProblem extends Invalid {
  readonly reason: A2AErrorName
  readonly metadata: Record<string, string>

  constructor(reason: A2AErrorName, message: string, metadata: Record<string, string> = {}) {
    super([{ loc: ['body'], msg: message, type: 'value_error' }])
    this.reason = reason
    this.metadata = metadata
  }
}

/** A mistake in one parameter. */
export const wrongParameter = (loc: Problem['loc'], msg: string): Invalid =>
  new Invalid([{ loc: ['body', ...loc], msg, type: 'value_error' }])

/** JSON-RPC without the method that a call names. */
export class NoSuchMethod extends Invalid {
  constructor(method: string) {
    const shown = JSON.stringify(method.slice(0, 100))
    super([{ loc: ['body', 'method'], msg: `There is no method ${shown}`, type: 'value_error' }])
  }
}

/** What both forms say of an error. `isOfHttp`: it concerns the request as a whole, so JSON-RPC has its status, too. */
type Said = {
  code: number
  http: number
  message: string
  details: Record<string, unknown>[]
  isOfHttp: boolean
}

const errorInfo = (reason: string, of: string, metadata: Record<string, string>) => ({
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason,
  domain: of,
  ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
})

/** The refusals for which the protocol has an error of its own. */
const ofRefusals: Partial<Record<RefusalName, A2AErrorName>> = {
  TaskNotFound: 'TASK_NOT_FOUND',
  WebhookNotFound: 'TASK_NOT_FOUND',
  NotCancelable: 'TASK_NOT_CANCELABLE',
  WrongState: 'UNSUPPORTED_OPERATION',
  MediaType: 'CONTENT_TYPE_NOT_SUPPORTED',
}
const upper = (name: string): string => name.replace(/(?<!^)([A-Z])/g, '_$1').toUpperCase()

const ofRefusal = (refusal: Refusal): Said => {
  const { reason, http, code, message, hint } = refusal
  const own = ofRefusals[reason]
  const isFault = http >= 500
  return {
    code: own === undefined ? (isFault ? -32603 : code) : named[own].code,
    // A content type of a whole request is 415, also where one of a part is 400.
    http: own === undefined || reason === 'MediaType' ? http : named[own].http,
    message: `${message}. ${hint}`,
    details: [errorInfo(own ?? upper(reason), own === undefined ? 'reprise' : domain, {})],
    isOfHttp: own === undefined || reason === 'MediaType',
  }
}

/** Fields of a task's create have other names in A2A. */
const fieldNames: Record<string, string> = {
  agent_config: 'tenant',
  session_id: 'message.contextId',
  user_message_content: 'message.parts',
  history_messages: 'message.parts',
  structured_output: 'configuration.acceptedOutputModes',
  webhook: 'configuration.taskPushNotificationConfig',
}
const placeOf = ([, first, ...rest]: Problem['loc']): string =>
  [...(first === undefined ? [] : [fieldNames[String(first)] ?? String(first)]), ...rest].join('.')

const isNoJson = (problems: readonly Problem[]): boolean =>
  problems.some(({ type }) => type === 'json_invalid')

const ofInvalid = (error: Invalid): Said => {
  if (error instanceof A2AProblem) {
    const message = error.problems[0]?.msg ?? error.message
    return {
      ...named[error.reason],
      message,
      details: [errorInfo(error.reason, domain, error.metadata)],
      isOfHttp: error.reason === 'VERSION_NOT_SUPPORTED',
    }
  }
  const { problems } = error
  const fieldViolations = problems
    .slice(0, 100)
    .map(({ loc, msg: description }) => ({ field: placeOf(loc), description }))
  const words = fieldViolations
    .slice(0, 10)
    .map(({ field, description }) => `${field || 'the body'}: ${description}`)
  const whole = isNoJson(problems) ? -32700 : problems.some(({ loc }) => loc.length < 2) ? -32600 : -32602
  return {
    code: error instanceof NoSuchMethod ? -32601 : whole,
    http: 400,
    message: words.join('; '),
    details: [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations }],
    // What is no call at all, or has a wrong header, concerns the request.
    isOfHttp: whole !== -32602 || problems.some(({ loc }) => loc[0] !== 'body'),
  }
}

const said = (error: Invalid | Refusal): Said =>
  error instanceof Refusal ? ofRefusal(error) : ofInvalid(error)

/** The names that HTTP+JSON gives to statuses (google.rpc.Code). */
const statusNames: Record<number, string> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
}
const statusName = (error: Invalid | Refusal, http: number): string => {
  if (error instanceof A2AProblem && error.reason !== 'TASK_NOT_FOUND') return 'FAILED_PRECONDITION'
  return statusNames[http] ?? (http >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT')
}

export const a2aHttpError = (error: Invalid | Refusal) => {
  const { http: status, message, details } = said(error)
  return {
    status,
    body: { error: { code: status, status: statusName(error, status), message, details } },
  }
}

/** The error of a call whose `id` is not known. An error of the method itself has the status 200, since the call was heard. */
export const a2aRpcError = (error: Invalid | Refusal) => {
  const { http, code, message, details: data, isOfHttp } = said(error)
  const rpc: RpcError = { code, message, data }
  return { status: isOfHttp ? http : 200, body: { jsonrpc: '2.0' as const, id: null as unknown, error: rpc } }
}
