// The table of refusals: every reason for which the service refuses a request. A refusal is never logged as an error. A
// conflict between writers (RevisionConflict) is not a refusal: the runtime tries the command again. Any other error is
// a fault: the server logs it in full, and the caller gets `internal error`.
export const refusals = {
  Unauthenticated: { http: 401, code: -32030, message: 'a valid bearer token is required' },
  Forbidden: { http: 403, code: -32031, message: 'this token does not allow this request' },
  TaskNotFound: { http: 404, code: -32001, message: 'no such task' },
  WebhookNotFound: { http: 404, code: -32001, message: 'no such webhook' },
  DeliveryNotFound: {
    http: 404,
    code: -32001,
    message: 'this webhook has no such delivery: the id is the id of an event that the webhook sends',
  },
  CronJobNotFound: { http: 404, code: -32001, message: 'no such cron job' },
  TileNotFound: {
    http: 404,
    code: -32001,
    message: 'no such tile: the newest checkpoint says how many events the tree has',
  },
  TokenNotFound: { http: 404, code: -32001, message: 'no such token' },
  NotCancelable: { http: 400, code: -32002, message: 'the task has ended and cannot be canceled' },
  WrongState: { http: 400, code: -32020, message: 'the task is in a state that does not allow this' },
  InputMissing: {
    http: 400,
    code: -32021,
    message: 'some pending tool calls have no answer: send an answer to each of them',
  },
  AlreadyAnswered: { http: 400, code: -32022, message: 'this tool call already has a different answer' },
  Conflict: {
    http: 409,
    code: -32023,
    message: 'this id or key is already used for something else: choose another one',
  },
  NotErasable: {
    http: 409,
    code: -32023,
    message: 'this cannot be erased now: `data` names what prevents it',
  },
  ErasureUnfinished: {
    http: 503,
    code: -32603,
    message:
      'the erasure is stored, but has not finished: the server continues it. Send the same request again to see whether it has finished',
  },
  HoldNotFound: { http: 404, code: -32001, message: 'there is no such hold' },
  EnvNotFound: {
    http: 404,
    code: -32024,
    message: 'there is no environment with this name: GET /v1/env lists the names',
  },
  SessionNotFound: { http: 404, code: -32025, message: 'no such session, or it is closed' },
  SessionAway: {
    http: 503,
    code: -32603,
    message: 'the session cannot be used at the moment, but it is not lost: try again later',
  },
  SessionDone: {
    http: 400,
    code: -32026,
    message: 'the environment session is done: reset it before the next step',
  },
  Busy: {
    http: 429,
    code: -32027,
    message: 'the server is handling too much for this caller: try again later',
  },
  OverQuota: {
    http: 429,
    code: -32027,
    message: 'a quota is used up: `data.quota` is its name, and `data.limit` is its limit',
  },
  BodyTooLarge: { http: 413, code: -32600, message: 'the request body is too large' },
  BodyTooSlow: {
    http: 408,
    code: -32600,
    message: 'the request body came too slowly: send at least 64 KiB per second',
  },
  MediaType: { http: 415, code: -32600, message: 'the request body must be uncompressed application/json' },
  RouteNotFound: { http: 404, code: -32601, message: 'the server has no route for this path' },
  MethodNotAllowed: {
    http: 405,
    code: -32601,
    message: 'this path does not accept this method: the header Allow names the methods that it accepts',
  },
  Fault: { http: 500, code: -32603, message: 'internal error' },
  StorageDown: {
    http: 503,
    code: -32603,
    message: 'the event log cannot be written at the moment: try again later',
  },
  ReadModelsBehind: {
    http: 503,
    code: -32603,
    message: 'lists are catching up with the log: try again in a moment',
  },
  NoCheckpoint: {
    http: 503,
    code: -32603,
    message: 'there is no checkpoint yet: try again in a moment',
  },
  ChangedMeanwhile: {
    http: 503,
    code: -32603,
    message: 'what the answer shows was changed or erased while the server made it: try again in a moment',
  },
  Damaged: { http: 503, code: -32603, message: 'a stored event cannot be read or does not match its hash' },
  ShuttingDown: { http: 503, code: -32603, message: 'the server is shutting down: try again later' },
} as const
export type RefusalName = keyof typeof refusals

export class Refusal extends Error {
  readonly http: number
  readonly code: number
  readonly reason: RefusalName
  readonly data: Record<string, unknown> | undefined

  constructor(reason: RefusalName, data?: Record<string, unknown>, message?: string) {
    super(message ?? refusals[reason].message)
    this.reason = reason
    this.data = data
    this.http = refusals[reason].http
    this.code = refusals[reason].code
  }
}

/** Whether a query failed because the read models lack events of the log for the moment. */
export const isBehind = (error: unknown): boolean =>
  error instanceof Refusal && error.reason === 'ReadModelsBehind'

/** The names of the quotas in `data.quota`. Quotas whose names begin with `max_` apply to all users together. */
export const quotaNames = [
  'tasks',
  'sessions',
  'streams',
  'sockets',
  'disk',
  'webhooks',
  'cron_jobs',
  'max_sessions',
  'max_streams',
] as const
export type QuotaName = (typeof quotaNames)[number]

/**
 * Limits that no variable sets and whose refusals are counted: large answers and bodies of one user, waiting steps of a
 * session, and the followed tasks and waiting creates of a WebSocket.
 */
export const fixedLimits = ['answers', 'bodies', 'steps', 'task_channels', 'waiting_creates'] as const
export type FixedLimit = (typeof fixedLimits)[number]

/** What each quota limits, the variable that sets it, and what a caller can do. */
const quotaWords: Record<QuotaName, string> = {
  tasks: 'unfinished tasks of this user (QUOTA_TASKS): cancel some, or wait until some end',
  sessions: 'active environment sessions of this user (QUOTA_SESSIONS): close some',
  streams: 'open streams of this user (QUOTA_STREAMS): close some',
  sockets: 'open WebSockets of this user (QUOTA_SOCKETS): close some',
  disk: 'bytes of disk for this user (QUOTA_DISK_MB): close sessions or remove files',
  webhooks: 'webhooks of this user (QUOTA_WEBHOOKS): delete some',
  cron_jobs: 'cron jobs of this user (QUOTA_CRON_JOBS): delete some',
  max_sessions: 'active environment sessions of all users (MAX_SESSIONS): try again later',
  max_streams: 'open streams and WebSockets of all users (MAX_STREAMS): try again later',
}

/** The refusal of a request that would exceed a quota. */
export const overQuota = (quota: QuotaName, limit: number): Refusal =>
  new Refusal('OverQuota', { quota, limit }, `there may be at most ${limit} ${quotaWords[quota]}`)

/** The refusal of a token of one user in a request that names another user. */
export const otherUser = (own: string, named: string): Refusal =>
  new Refusal(
    'Forbidden',
    { user_id: named },
    `this token belongs to the user ${own} and cannot act for the user ${named}`,
  )

/** The refusal of an environment step whose number is not the one that its caller expects. */
export const unexpectedStep = (expected: number, step: number): Refusal =>
  new Refusal('Conflict', { expected_step: expected, step }, `the next step is ${step + 1}, not ${expected}`)

/**
 * One problem of a request: its place (`body`, `query`, `path` or `header` first), a message, and its type in pydantic.
 */
export type Problem = { loc: (string | number)[]; msg: string; type: string }

/** The request is not valid. The answer is always 422 and lists every problem. */
export class Invalid extends Error {
  readonly problems: Problem[]

  constructor(problems: Problem[]) {
    super('invalid request')
    this.problems = problems
  }
}
