// A door is the part of a capability (tasks, sessions, events, …) that routes may use. A route gets the door of its
// capability, and `Serving`.
import type { Logins } from '../access/logins.ts'
import type { Principals } from '../access/principals.ts'
import type { Reads } from '../access/reads.ts'
import type { Tickets } from '../access/tickets.ts'
import type { Workers } from '../agent-hosts/workers.ts'
import type { Feed, FeedRequest } from '../bus/feed.ts'
import type { AuditTrail } from '../contract/audit.ts'
import type { CronState } from '../contract/charts/cron-chart.ts'
import type { SessionState } from '../contract/charts/env-session-chart.ts'
import type { PlacedTask } from '../contract/charts/machines.ts'
import type { TaskEventData } from '../contract/events/task-events.ts'
import type { Report } from '../contract/ports.ts'
import type { AgentInfo, CreateTaskBody, EnvironmentInfo, WorkerInfo } from '../contract/wire.ts'
import type { CronCommands } from '../cron/commands.ts'
import type { CronQueries } from '../cron/queries.ts'
import type { Sessions } from '../env-sessions/commands.ts'
import type { Resolved } from '../env-sessions/deps.ts'
import type { SessionQueries } from '../env-sessions/queries.ts'
import type { Erasures } from '../erasure/system.ts'
import type { LoopShares } from '../fairness/loop-shares.ts'
import type { Quotas } from '../fairness/quotas.ts'
import type { Pause } from '../fairness/slices.ts'
import type { Frame } from '../history/frames.ts'
import type { SentExports } from '../maintenance/export/sent-export.ts'
import type { PastHour } from '../metrics/past-hour.ts'
import type { RequestCounts } from '../metrics/request-counts.ts'
import type { KnownKey } from '../proof/keys/key-history.ts'
import type { Tree } from '../proof/store/tree.ts'
import type { Commands } from '../tasks/commands.ts'
import type { Queries } from '../tasks/queries.ts'
import type { Recall } from '../tasks/recall.ts'
import type { RequestReader } from '../tasks/request-reader.ts'
import type { Webhooks } from '../webhooks/webhooks.ts'
import type { LongAnswers } from './answer/long-answers.ts'
import type { PublicUrl } from './server/public-url.ts'
import type { OpenStreams } from './stream/open-streams.ts'

/** What every route may need in order to answer. */
export type Serving = {
  principals: Principals
  tickets: Tickets
  logins: Logins
  openStreams: OpenStreams
  quotas: Pick<Quotas, 'openStream' | 'openSocket' | 'countRefusal'>
  longAnswers: LongAnswers
  /** Records which tasks are shown to whom. */
  reads: Reads
  /** Aborts when the server begins to stop. */
  stopping: AbortSignal
  newId: () => string
  publicUrl: PublicUrl | undefined
  /** The address of the server's root as clients know it; empty without PUBLIC_URL. */
  root: string
  /** The address of a path of the server as clients know it: with the prefix of PUBLIC_URL. */
  addressOf: (path: string) => string
  /** Logs a bug or a storage failure in full. */
  fault: (error: unknown, about: { request_id: string; route: string | undefined }) => void
}

/** The door to tasks, for their routes and for the commands on a WebSocket. */
export type TaskDoor = {
  commands: Commands
  queries: Queries
  recall: Recall
  requests: RequestReader
  /** The statechart of a task, or that of its agent, with its state and the events that may follow. */
  machineOf: (task: PlacedTask) => object
  /** The number of the last frame of the events that accepted these answers. */
  afterAnswers: (taskId: string, callIds: string[]) => Promise<number>
  /** Whether the task that this body names has taken the results of an equal body before. */
  wereTaken: (body: CreateTaskBody & { task_id: string }, pause: Pause) => Promise<boolean>
  /** Whether a task has taken the answers of a request with this digest. */
  hasTaken: (taskId: string, digest: string, pause: Pause) => Promise<boolean>
  /** The length of the largest body of a create, in bytes. */
  bodyLimit: number
  /** A new id for the result of a call that a caller sends. */
  newItemId: () => string
  streamOf: (taskId: string) => string
  openFeed: (request: FeedRequest, isNew?: boolean) => Feed
  /** The stored frames of a task after the frame with the number `after`. */
  storedFrames: (stream: string, after: number, pause: Pause) => AsyncIterable<Frame>
  nextFrame: (stream: string) => Promise<number>
  /** The request that made a task, without its secrets. */
  createdOf: (stream: string) => Promise<TaskEventData<'TaskCreated'>>
  notDelivered: (taskId: string) => void
}

/** The door to environment sessions. */
export type SessionDoor = {
  sessions: Sessions
  sessionQueries: SessionQueries
  /** The statechart of sessions, the state of this session, and the events that may follow. */
  sessionMachineOf: (state: SessionState) => object
  /** The number of seconds without use after which a session counts as inactive. */
  idleSeconds: number
}

/** The door to cron jobs. */
export type CronDoor = {
  commands: CronCommands
  queries: CronQueries
  stateOf: (jobId: string) => Promise<CronState>
  /** The statechart of jobs, the state of this job, and the events that may follow. */
  machineOf: (state: CronState) => object
}

/** The door to environments and their sessions. */
export type EnvironmentDoor = {
  sessions: Sessions
  environments: {
    list(): Promise<EnvironmentInfo[]>
    info(name: string): Promise<EnvironmentInfo[]>
    resolve(envId: string | undefined, classPath: string | undefined): Promise<Resolved>
  }
}

/** The door to webhooks. */
export type WebhookDoor = Pick<Webhooks, 'commands' | 'queries' | 'tries' | 'mayAct'>

/** The door to the proofs of the log. */
export type ProofDoor = {
  /**
   * The newest stored checkpoint. If there is none yet, waits a short time for the first one; undefined: none came.
   * `text` is the signed note.
   */
  newest: () => Promise<{ size: number; text: string } | undefined>
  /** The keys of the log, the oldest first. */
  keys: () => readonly KnownKey[]
  tree: Pick<Tree, 'ask'>
  /** Changes the key that signs checkpoints. */
  rotate: (by: { principal: string; causation: string }) => Promise<KnownKey>
}

/** The door to agents and workers. */
export type AgentDoor = {
  /** The agents that a user may name, each with its place in the list. `user`: undefined: those of all users. */
  list: (user: string | undefined) => { place: string; info: AgentInfo }[]
  /** The agent of tasks that name none. */
  fallback: string
  /** The workers that are connected. `user`: undefined: those of all users. */
  workers: (user: string | undefined) => { place: string; info: WorkerInfo }[]
  /** A worker has connected. `user`: the user whose tasks it serves; undefined: it serves all users. */
  connect: Workers['connect']
}

/** What the door for clients of MCP needs besides tasks, agents and environments. */
export type McpDoor = {
  /** Milliseconds after which a call becomes a task, if its client knows tasks. */
  taskAfterMs: number
  /** Resolves when the parameters of all agents are known, or after some seconds. */
  agentsKnown: () => Promise<unknown>
  /** Why a value does not fit a JSON Schema; empty: it fits. `user`: the user for whom this is checked. */
  problemsOf: (schema: object, value: unknown, user: string) => Promise<string[]>
}

/** The door to exports. */
export type ExportDoor = Pick<SentExports, 'archive'> & { queries: Pick<Queries, 'visible'> }
/** The door to erasures. */
export type ErasureDoor = { erasures: Pick<Erasures, 'task' | 'session' | 'user' | 'holds'> }

/** The door to the stored log, for auditors. */
export type AuditDoor = { audit: AuditTrail; queries: Pick<Queries, 'headPosition'> }

/** The parts that check and observe every request. */
export type Gate = {
  /** The origins whose pages may use the API from a browser. With `*`, pages of every origin may. */
  allowedOrigins: readonly string[]
  /** Shares the time of the event loop between users. */
  loop: LoopShares
  requests: RequestCounts
  report: Report
  /** True: every request gets a line in the log output, at `debug`. */
  verbose: boolean
}

/** The server's own state, for monitoring. */
export type StateDoor = {
  readiness: () => { log: 'ok' | 'failing'; read_models: 'ok' | 'behind'; [more: string]: unknown }
  /** All metrics, in the format of Prometheus. */
  metrics: () => Promise<{ contentType: string; text: string }>
  pastHour: Pick<PastHour, 'after'>
}
