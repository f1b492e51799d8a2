// The table of refusals: every reason for which the service refuses a request. A refusal is never logged as an error. A
// conflict between writers (RevisionConflict) is not a refusal: the runtime tries the command again. Any other error is
// a fault: the server logs it in full, and the caller gets `internal error`.
//
// `message` says what is so, and `hint` what the caller can do. A place that refuses may say both more exactly. docs/errors.md
// and the page /docs are made from the table; they say with `when` when the server refuses for the reason.
export const refusals = {
  Unauthenticated: {
    http: 401,
    code: -32030,
    message: 'a valid bearer token is required',
    when: 'The request has no token, or its token or ticket is unknown, has expired or was revoked.',
    hint: 'Send the header `Authorization: Bearer TOKEN` with a valid token.',
  },
  Forbidden: {
    http: 403,
    code: -32031,
    message: 'this token does not allow this request',
    when: 'The role or the user of the token does not allow what the request asks for, or a name leads out of the folder that callers may use.',
    hint: 'Use a token whose role and user allow this request.',
  },
  TaskNotFound: {
    http: 404,
    code: -32001,
    message: 'no such task',
    when: 'There is no such task, it was deleted, or the token does not reach it: the server does not say which.',
    hint: 'Check the id, and that the token belongs to the user of the task. `GET /v1/tasks` lists the tasks that the token reaches.',
  },
  WebhookNotFound: {
    http: 404,
    code: -32001,
    message: 'no such webhook',
    when: 'There is no such webhook, or the token does not reach it.',
    hint: 'Check the id. `GET /v1/webhooks` lists the webhooks that the token reaches.',
  },
  DeliveryNotFound: {
    http: 404,
    code: -32001,
    message: 'this webhook has no such delivery',
    when: 'The webhook does not send the event with this id.',
    hint: 'Give the id of an event that the webhook sends. `GET /v1/webhooks/{webhook_id}/deliveries` lists them.',
  },
  CronJobNotFound: {
    http: 404,
    code: -32001,
    message: 'no such cron job',
    when: 'There is no such cron job, it was deleted, or the token does not reach it.',
    hint: 'Check the id. `GET /v1/cron/jobs` lists the jobs that the token reaches.',
  },
  TileNotFound: {
    http: 404,
    code: -32001,
    message: 'no such tile',
    when: 'The tree of the log does not have this tile, or not yet.',
    hint: 'Read the size of the tree in the newest checkpoint, and ask for a tile within it.',
  },
  TokenNotFound: {
    http: 404,
    code: -32001,
    message: 'no such token',
    when: 'There is no such token, it was revoked, or it belongs to another user.',
    hint: 'Check the id. `GET /v1/auth/tokens` lists the tokens.',
  },
  HoldNotFound: {
    http: 404,
    code: -32001,
    message: 'there is no such hold',
    when: 'No legal hold protects exactly what the body names.',
    hint: 'Name the task, the session or the user as the hold does. `GET /v1/audit/holds` lists the holds.',
  },
  NotCancelable: {
    http: 400,
    code: -32002,
    message: 'the task has ended and cannot be canceled',
    when: 'The task is completed, failed or expired.',
    hint: 'Nothing is left to do: read the task to see how it ended.',
  },
  WrongState: {
    http: 400,
    code: -32020,
    message: 'the task is in a state that does not allow this',
    when: 'The state of the task does not allow the operation; `data.states` names the states that do.',
    hint: 'Read the task, and wait until it is in one of the states in `data.states`.',
  },
  InputMissing: {
    http: 400,
    code: -32021,
    message: 'some pending tool calls have no answer',
    when: 'The task waits for the results of several client tools, and the request does not give all of them. `data.missing_call_ids` names the others.',
    hint: 'Send a result for each call in `data.missing_call_ids`.',
  },
  AlreadyAnswered: {
    http: 400,
    code: -32022,
    message: 'this tool call already has a different answer',
    when: 'Somebody has answered the call before, or decided about it, in another way. The first answer or decision counts.',
    hint: 'Read the task, which has the answer that counts, and go on from there.',
  },
  Conflict: {
    http: 409,
    code: -32023,
    message: 'this id or key is already used for something else',
    when: 'An id, an `Idempotency-Key` or a number of a step is not what the server has, or two things cannot be true together. The message says which.',
    hint: 'Choose another id or key, or read what is there and send a request that fits it.',
  },
  TaskFailed: {
    http: 424,
    code: -32603,
    message: 'the task has not completed',
    when: 'The task behind a chat completion has failed, has expired or was canceled. Only `POST /v1/chat/completions` is refused so: other answers show the task.',
    hint: 'Read the task that the header `X-Task-Id` names.',
  },
  NotErasable: {
    http: 409,
    code: -32023,
    message: 'this cannot be erased now',
    when: 'Something has not ended, is under a legal hold, or is quoted by something else. `data` names it.',
    hint: 'End what `data` names, lift its holds, or add `cascade=true` to erase the rest, too.',
  },
  EnvNotFound: {
    http: 404,
    code: -32024,
    message: 'there is no environment with this name',
    when: 'No environment has the name that the request gives.',
    hint: 'Choose one of the names that `GET /v1/env` lists.',
  },
  SessionNotFound: {
    http: 404,
    code: -32025,
    message: 'no such session, or it is closed',
    when: 'There is no such environment session, it was closed or deleted, or the token does not reach it.',
    hint: 'Check the id, or create the session with `POST /v1/env/create`.',
  },
  SessionDone: {
    http: 400,
    code: -32026,
    message: 'the environment session is done',
    when: 'The last step has ended the episode (`done` is true).',
    hint: 'Reset the session with `POST /v1/env/reset` before the next step.',
  },
  Busy: {
    http: 429,
    code: -32027,
    message: 'the server is handling too much for this caller',
    when: 'The caller has too much under way at once. `data.quota`, if it is there, says what.',
    hint: 'Wait as long as `Retry-After` says, and send fewer requests at a time.',
  },
  OverQuota: {
    http: 429,
    code: -32027,
    message: 'a quota is used up',
    when: 'The user, or all users together, have as much of something as the operator allows. `data.quota` is the name of the quota, and `data.limit` its limit.',
    hint: 'Free some of what `data.quota` names, or ask the operator for a higher limit.',
  },
  BodyTooLarge: {
    http: 413,
    code: -32600,
    message: 'the request body is too large',
    when: 'The body is longer than this operation takes.',
    hint: 'Send a shorter body, or ask the operator for a higher `BODY_LIMIT`.',
  },
  BodyTooSlow: {
    http: 408,
    code: -32600,
    message: 'the request body came too slowly',
    when: 'The head of the request did not arrive within 10 seconds, or its body came with less than 64 KiB per second.',
    hint: 'Send the request again, its body with at least 64 KiB per second.',
  },
  MediaType: {
    http: 415,
    code: -32600,
    message: 'the request body is not uncompressed JSON',
    when: 'The body has another media type, or is compressed.',
    hint: 'Send JSON with `Content-Type: application/json` and without `Content-Encoding`.',
  },
  NotHttp: {
    http: 400,
    code: -32600,
    message: 'the server cannot read this as an HTTP request',
    when: 'What arrived is no HTTP request, or its head is too long.',
    hint: 'Check the address, the port and the protocol (http or https) that the client uses.',
  },
  BadHandshake: {
    http: 400,
    code: -32600,
    message: 'this is no handshake of a WebSocket',
    when: 'The request for `/ws` lacks a header of the handshake, or has a wrong one.',
    hint: 'Use a client for WebSockets of version 13.',
  },
  UpgradeRequired: {
    http: 426,
    code: -32600,
    message: 'this path opens a WebSocket',
    when: 'The request for `/ws` does not ask for a WebSocket.',
    hint: 'Connect with a client for WebSockets, which sends `Upgrade: websocket`.',
  },
  RouteNotFound: {
    http: 404,
    code: -32601,
    message: 'the server has no route for this path',
    when: 'No operation has this path, no agent the name in the path, or no message on `/ws` this type.',
    hint: 'Check the path: `/docs` of the server lists all requests and messages.',
  },
  MethodNotAllowed: {
    http: 405,
    code: -32601,
    message: 'this path does not accept this method',
    when: 'The path exists, but not with this method.',
    hint: 'Use one of the methods that the header `Allow` names.',
  },
  Fault: {
    http: 500,
    code: -32603,
    message: 'internal error',
    when: 'The server has a defect, which it has logged in full.',
    hint: 'Give the operator the `X-Request-ID` of the answer, by which the log of the server finds the error.',
  },
  StorageDown: {
    http: 503,
    code: -32603,
    message: 'the event log cannot be written at the moment',
    when: 'The disk is full or failing, or no node of a cluster owns the log. Nothing was done unless the message says otherwise.',
    hint: 'Try again later. The operator finds the cause at `/readyz` and in the log of the server.',
  },
  ReadModelsBehind: {
    http: 503,
    code: -32603,
    message: 'lists are catching up with the log',
    when: 'The server has just started, or repairs its read models.',
    hint: 'Try again in a moment.',
  },
  ErasureUnfinished: {
    http: 503,
    code: -32603,
    message: 'the erasure is stored, but has not finished',
    when: 'The server has stored the erasure, and could not carry out all of it yet. It goes on by itself.',
    hint: 'Send the same request again to see whether the erasure has finished.',
  },
  ToolsAway: {
    http: 503,
    code: -32008,
    message: 'the tools of the task are not available now',
    when: 'Somebody approves a call of a tool whose MCP server does not answer. The message says which. The call still waits.',
    hint: 'Approve the call again when the server answers, or give its result with `POST /v1/tasks/{task_id}/input`.',
  },
  SessionAway: {
    http: 503,
    code: -32603,
    message: 'the session cannot be used at the moment, but it is not lost',
    when: 'The environment of the session cannot be started again at the moment.',
    hint: 'Try again later. `data.reason` tells the operator what is wrong.',
  },
  NoCheckpoint: {
    http: 503,
    code: -32603,
    message: 'there is no checkpoint yet',
    when: 'The server has just started, and has signed no checkpoint yet.',
    hint: 'Try again in a moment.',
  },
  ChangedMeanwhile: {
    http: 503,
    code: -32603,
    message: 'what the answer shows was changed or erased while the server made it',
    when: 'Something was erased or changed between two reads of one answer.',
    hint: 'Try again in a moment.',
  },
  Damaged: {
    http: 503,
    code: -32603,
    message: 'a stored event cannot be read or does not match its hash',
    when: 'The log is damaged at the position that `data.position` names.',
    hint: 'Tell the operator, who runs `reprise verify` and restores a backup.',
  },
  ShuttingDown: {
    http: 503,
    code: -32603,
    message: 'the server is shutting down',
    when: 'The server ends or starts again.',
    hint: 'Try again in a few seconds.',
  },
  NotOwner: {
    http: 508,
    code: -32603,
    message: 'this node does not own the event log',
    when: 'The nodes of a cluster do not agree yet about which of them owns the log.',
    hint: 'Send the request again in a moment.',
  },
} as const
export type RefusalName = keyof typeof refusals

/** What a refusal may say besides: what the caller can do in this case, and headers of the answer. */
type More = { hint?: string; headers?: Record<string, string> }

export class Refusal extends Error {
  readonly http: number
  readonly code: number
  readonly reason: RefusalName
  readonly data: Record<string, unknown> | undefined
  readonly hint: string
  readonly headers: Record<string, string>

  constructor(reason: RefusalName, data?: Record<string, unknown>, message?: string, more: More = {}) {
    super(message ?? refusals[reason].message)
    this.reason = reason
    this.data = data
    this.http = refusals[reason].http
    this.code = refusals[reason].code
    this.hint = more.hint ?? refusals[reason].hint
    this.headers = more.headers ?? {}
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

/** What each quota limits, with the variable that sets it, and what a caller can do. */
const quotaWords: Record<QuotaName, [what: string, hint: string]> = {
  tasks: ['unfinished tasks of this user (QUOTA_TASKS)', 'Cancel some, or wait until some end.'],
  sessions: ['active environment sessions of this user (QUOTA_SESSIONS)', 'Close some.'],
  streams: ['open streams of this user (QUOTA_STREAMS)', 'Close some.'],
  sockets: ['open WebSockets of this user (QUOTA_SOCKETS)', 'Close some.'],
  disk: ['bytes of disk for this user (QUOTA_DISK_MB)', 'Close sessions or remove files.'],
  webhooks: ['webhooks of this user (QUOTA_WEBHOOKS)', 'Delete some.'],
  cron_jobs: ['cron jobs of this user (QUOTA_CRON_JOBS)', 'Delete some.'],
  max_sessions: ['active environment sessions of all users (MAX_SESSIONS)', 'Try again later.'],
  max_streams: ['open streams and WebSockets of all users (MAX_STREAMS)', 'Try again later.'],
}

/** The refusal of a request that would exceed a quota. */
export const overQuota = (quota: QuotaName, limit: number): Refusal => {
  const [what, hint] = quotaWords[quota]
  return new Refusal('OverQuota', { quota, limit }, `there may be at most ${limit} ${what}`, { hint })
}

/** The refusal of a token of one user in a request that names another user. */
export const otherUser = (own: string, named: string): Refusal =>
  new Refusal(
    'Forbidden',
    { user_id: named },
    `this token belongs to the user ${own} and cannot act for the user ${named}`,
    { hint: 'Leave the user out of the request, or use a token of that user.' },
  )

/** The refusal of an environment step whose number is not the one that its caller expects. */
export const unexpectedStep = (expected: number, step: number): Refusal =>
  new Refusal(
    'Conflict',
    { expected_step: expected, step },
    `the next step is ${step + 1}, not ${expected}`,
    {
      hint: 'Observe the session, and send a step that follows from its present state.',
    },
  )

/**
 * One problem of a request: its place (`body`, `query`, `path` or `header` first), a message, and its type in pydantic.
 */
export type Problem = { loc: (string | number)[]; msg: string; type: string }

/** What the caller of an invalid request can read about it, beside the list of its problems. */
export const invalidRequest = {
  http: 422,
  code: -32602,
  message: 'invalid request',
  when: 'The body, the query, the path or a header of the request is not as the operation takes it. The answer has the form of the interface, `detail`, with an entry for each problem: its place (`loc`), what is wrong (`msg`) and its kind (`type`). On `/ws` it is an error object, whose `data` has `detail`.',
  hint: 'Correct what `detail` names.',
} as const

/** The request is not valid. The answer is always 422 and lists every problem. */
export class Invalid extends Error {
  readonly problems: Problem[]

  constructor(problems: Problem[]) {
    super(invalidRequest.message)
    this.problems = problems
  }
}
