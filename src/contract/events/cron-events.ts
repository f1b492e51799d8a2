// The events of a cron job, as its stream in the log holds them. An event that changes the next due time of the job
// contains the new due time. So a replay computes no times, and newer time zone data changes nothing that is stored.
import Type, { type Static, type TProperties, type TSchema } from 'typebox'
import { fieldsOf, limits, policies } from '../wire/cron-settings.ts'
import { CreateTaskBody } from '../wire/task-requests.ts'

const optional = Type.Optional
const Text = Type.String()
/** Milliseconds since the epoch. */
const Moment = Type.Integer()

/** `at`: the next time of the schedule. `due`: this time with the jitter of the job. */
const Next = Type.Object({ at: Moment, due: Moment })
export type Next = Static<typeof Next>

/** What a caller sets. Exactly one of `schedule`, `every_seconds` and `at` is present. */
const Settings = Type.Object({
  name: Text,
  schedule: optional(Text),
  every_seconds: optional(Type.Integer()),
  at: optional(Moment),
  timezone: Text,
  /** The body of the request that creates the task of a run, without secret values. */
  task: CreateTaskBody,
  /** The reference under which the secret values of the body are kept. */
  secret_ref: optional(Text),
  ...fieldsOf(policies, 'stored'),
  ...fieldsOf(limits, 'stored'),
  /** The times of `every_seconds` are counted from this moment. */
  anchor: Moment,
})
export type CronSettings = Static<typeof Settings>

/** Times of the schedule, each directly after the one before, that have had their runs. `follows`: the time after `last`. */
const Done = Type.Object({ first: Moment, last: Moment, follows: optional(Moment) })
export type Done = Static<typeof Done>

/** The token that made the job, and the user of this token. The job acts as this maker. */
const Maker = Type.Object({ token_id: Text, user_id: optional(Text) })
export type CronMaker = Static<typeof Maker>

/** The reason for which a job is paused while its maker has no valid token. It goes on by itself. */
export const noValidToken = 'no_valid_token'

/** The `Idempotency-Key` of the request that asked for the job, or for the run. */
const key = { idempotency_key: optional(Text) }
const Run = { run_id: Text, scheduled_at: Moment, next: optional(Next) }
const Ended = { run_id: Text, task_id: Text, scheduled_at: Moment, name: Text, duration_ms: Type.Integer() }

/**
 * The view of a job after the event with the revision `revision`. A reader can begin here, and need not fold the
 * earlier events. The settings are those of the event with the revision `settings_at`.
 */
const SavedFold = Type.Object({
  version: Type.Integer(),
  revision: Type.Integer(),
  settings_at: Type.Integer(),
  job_id: Text,
  user_id: Text,
  state: Type.Enum(['active', 'paused', 'ended']),
  maker: Maker,
  paused_reason: optional(Text),
  next: optional(Next),
  runs: Type.Integer(),
  running: Type.Array(Type.Object({ run_id: Text, task_id: Text, scheduled_at: Moment, started_at: Moment })),
  queue: Type.Array(Type.Object({ run_id: Text, scheduled_at: Moment, manual: Type.Boolean() })),
  done: Type.Array(Done),
  held: optional(Next),
})
export type SavedCronFold = Static<typeof SavedFold>

const payloads = {
  CronJobCreated: {
    job_id: Text,
    user_id: Text,
    settings: Settings,
    maker: Maker,
    next: optional(Next),
    /** The digest of the body as it was sent, without secret values. It identifies a retry. */
    digest: Text,
    ...key,
  },
  CronJobChanged: { settings: Settings, next: optional(Next) },
  CronJobPaused: { reason: Text },
  /** `maker`: the job acts as this maker from now on, because its former maker has no valid token. */
  CronJobResumed: { next: optional(Next), maker: optional(Maker) },
  /** The clock was set back, so an earlier time is next than before. */
  CronJobReplanned: { next: Next },
  /** A task was created for a run, in the same append. */
  CronJobTriggered: {
    ...Run,
    name: Text,
    task_id: Text,
    /** A caller asked for this run; it is not a run of the schedule. */
    manual: optional(Type.Literal(true)),
    /** The run waited for the end of another run. */
    queued: optional(Type.Literal(true)),
    ...key,
  },
  /** `until` and `count` are present when the record is for several times, from `scheduled_at` to `until`. */
  CronRunSkipped: { ...Run, reason: Text, until: optional(Moment), count: optional(Type.Integer()) },
  CronRunQueued: { ...Run, manual: optional(Type.Literal(true)), ...key },
  CronJobCompleted: Ended,
  /**
   * `reason`: the status in which the task ended. Without `task_id` there is no task, and `reason` says why:
   * `invalid_task`, `quota`, `secret_missing` or `deleted`.
   */
  CronJobFailed: {
    ...Ended,
    task_id: optional(Text),
    error: Text,
    reason: Text,
    next: optional(Next),
    queued: optional(Type.Literal(true)),
    manual: optional(Type.Literal(true)),
    ...key,
  },
  /** The schedule begins no more runs. `reason`: `max_runs` or `no_more_times`. */
  CronJobEnded: { reason: Text },
  CronJobDeleted: { by: Text },
  CronFoldSaved: { fold: SavedFold },
} satisfies Record<string, TProperties>

export type CronEventType = keyof typeof payloads
type Data = { [T in CronEventType]: Static<Type.TObject<(typeof payloads)[T]>> }
export type CronEvent = { [T in CronEventType]: { type: T; data: Data[T] } }[CronEventType]
export type CronEventData<T extends CronEventType> = Data[T]
/** The schema of each event's payload, by its type. */
export const cronEventSchemas: Record<CronEventType, TSchema> = Object.fromEntries(
  Object.entries(payloads).map(([type, data]) => [type, Type.Object(data)]),
) as unknown as Record<CronEventType, TSchema>
export const cronEventVersion = 1

export const cronStream = (jobId: string): string => `cron-${jobId}`
export const isCronStream = (stream: string): boolean => stream.startsWith('cron-')
export const jobIdOf = (stream: string): string => stream.slice('cron-'.length)
