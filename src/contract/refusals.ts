// Everything a caller can be told no for, in one table. A refusal is the caller's and is never logged as an
// error; a conflict between writers is the log's (RevisionConflict) and the runtime tries again; anything else
// is a fault: logged in full and shown as an internal error.
export const refusals = {
  Unauthenticated: { http: 401, code: -32030, message: 'a valid bearer token is required' },
  Forbidden: { http: 403, code: -32031, message: 'this token does not allow it' },
  TaskNotFound: { http: 404, code: -32001, message: 'no such task' },
  TokenNotFound: { http: 404, code: -32001, message: 'no such token' },
  NotCancelable: { http: 400, code: -32002, message: 'the task has ended and cannot be canceled' },
  WrongState: { http: 400, code: -32020, message: 'the task is in a state that does not allow this' },
  InputMissing: { http: 400, code: -32021, message: 'some pending tool calls have no answer yet' },
  AlreadyAnswered: { http: 400, code: -32022, message: 'this call was answered differently already' },
  Conflict: { http: 409, code: -32023, message: 'this id or key is already used for something else' },
  EnvNotFound: { http: 404, code: -32024, message: 'no such environment' },
  SessionNotFound: { http: 404, code: -32025, message: 'no such session, or it is closed' },
  SessionDone: { http: 400, code: -32026, message: 'the session is done: reset it first' },
  Busy: { http: 429, code: -32027, message: 'too much is in flight; try again later' },
  OverQuota: {
    http: 429,
    code: -32027,
    message: 'a quota is used up: `data.quota` names it, `data.limit` is how much it allows',
  },
  BodyTooLarge: { http: 413, code: -32600, message: 'the request body is too large' },
  BodyTooSlow: {
    http: 408,
    code: -32600,
    message: 'the request came too slowly: a body needs 64 KiB a second',
  },
  MediaType: { http: 415, code: -32600, message: 'send an uncompressed application/json body' },
  RouteNotFound: { http: 404, code: -32601, message: 'no such route' },
  MethodNotAllowed: { http: 405, code: -32601, message: 'this route has no such method' },
  Fault: { http: 500, code: -32603, message: 'internal error' },
  StorageDown: { http: 503, code: -32603, message: 'the event log cannot be written at the moment' },
  ReadModelsBehind: { http: 503, code: -32603, message: 'lists are catching up with the log' },
  Damaged: { http: 503, code: -32603, message: 'a stored event cannot be read or does not fit its hash' },
  ShuttingDown: { http: 503, code: -32603, message: 'the server is shutting down' },
} as const
export type RefusalName = keyof typeof refusals

export class Refusal extends Error {
  readonly http: number
  readonly code: number
  constructor(
    readonly reason: RefusalName,
    readonly data?: Record<string, unknown>,
    message?: string,
  ) {
    super(message ?? refusals[reason].message)
    this.http = refusals[reason].http
    this.code = refusals[reason].code
  }
}

/** What a caller can have too much of, as `data.quota` names it; `max_…`: of all users together. */
export const quotaNames = [
  'tasks',
  'sessions',
  'streams',
  'sockets',
  'disk',
  'max_sessions',
  'max_streams',
] as const
export type QuotaName = (typeof quotaNames)[number]

/** Each with the variable that sets it, and what to do. */
const quotaWords: Record<QuotaName, string> = {
  tasks: 'unfinished tasks of this user (QUOTA_TASKS): cancel some, or wait until some end',
  sessions: 'active environment sessions of this user (QUOTA_SESSIONS): close some',
  streams: 'open streams of this user (QUOTA_STREAMS): close some',
  sockets: 'open WebSockets of this user (QUOTA_SOCKETS): close some',
  disk: 'bytes of disk for this user (QUOTA_DISK_MB): close sessions or remove files',
  max_sessions: 'active environment sessions of all users (MAX_SESSIONS): try again later',
  max_streams: 'open streams and WebSockets of all users (MAX_STREAMS): try again later',
}

/** A user, or all users together, have as much of something as the operator allows. */
export const overQuota = (quota: QuotaName, limit: number): Refusal =>
  new Refusal('OverQuota', { quota, limit }, `there may be at most ${limit} ${quotaWords[quota]}`)

/** A token that stands for one user, where another is named. */
export const otherUser = (own: string, named: string): Refusal =>
  new Refusal(
    'Forbidden',
    { user_id: named },
    `this token stands for the user ${own}: it does nothing for the user ${named}`,
  )

/** A step that its caller takes for another one. */
export const unexpectedStep = (expected: number, step: number): Refusal =>
  new Refusal('Conflict', { expected_step: expected, step }, `the next step is ${step + 1}, not ${expected}`)

/** One problem of a request: where it is (`body`, `query`, `path` or `header` first), why, pydantic's word for it. */
export type Problem = { loc: (string | number)[]; msg: string; type: string }

/** A request that is not valid: always 422 with the validation shape, every problem at once. */
export class Invalid extends Error {
  constructor(readonly problems: Problem[]) {
    super('invalid request')
  }
}
