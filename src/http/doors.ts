// Doors: what the routes of each capability may use of it. A route gets its door and `Serving`.
import type { Principals } from '../access/principals.ts'
import type { Tickets } from '../access/tickets.ts'
import type { Roots } from '../access/user-folders.ts'
import type { Feed, FeedWish } from '../bus/feed.ts'
import type { AuditTrail } from '../contract/audit.ts'
import type { SessionState } from '../contract/env-session-chart.ts'
import type { Report } from '../contract/ports.ts'
import type { TaskState } from '../contract/task-state.ts'
import type { EnvironmentInfo } from '../contract/wire.ts'
import type { Sessions } from '../env-sessions/commands.ts'
import type { SessionQueries } from '../env-sessions/queries.ts'
import type { LoopShares } from '../fairness/loop-shares.ts'
import type { Quotas } from '../fairness/quotas.ts'
import type { Pause } from '../fairness/slices.ts'
import type { Frame } from '../history/frames.ts'
import type { RequestCounts } from '../metrics/request-counts.ts'
import type { Commands } from '../tasks/commands.ts'
import type { Queries } from '../tasks/queries.ts'
import type { Recall } from '../tasks/recall.ts'
import type { AgentChoice } from '../tasks/request/agent-choice.ts'
import type { LongAnswers } from './long-answers.ts'
import type { OpenStreams } from './open-streams.ts'

/** What an answer of any kind may need. */
export type Serving = {
  principals: Principals
  tickets: Tickets
  openStreams: OpenStreams
  quotas: Pick<Quotas, 'openStream' | 'openSocket'>
  longAnswers: LongAnswers
  /** Aborts when the server begins to stop. */
  stopping: AbortSignal
  newId: () => string
  /** Logs a bug or a storage failure in full. */
  fault: (error: unknown, about: { request_id: string; route: string | undefined }) => void
}

/** Tasks, for their routes and for the commands of a socket. */
export type TaskDoor = {
  commands: Commands
  queries: Queries
  recall: Recall
  /** The folders of users. */
  roots: Roots
  agents: AgentChoice
  /** The machine of a task, its state, and the events that may follow. */
  machineOf: (state: TaskState) => object
  /** The number of the last frame that the acceptance of these answers produced. */
  afterAnswers: (taskId: string, callIds: string[]) => Promise<number>
  /** The problems of a JSON Schema from a caller. Users take turns. */
  problemsOfSchema: (schema: object, user: string) => Promise<string[]>
  /** The largest body of a create, bytes. */
  bodyLimit: number
  /** A new id for the result of a call that a caller sends. */
  newItemId: () => string
  streamOf: (taskId: string) => string
  openFeed: (wish: FeedWish, isNew?: boolean) => Feed
  /** The stored frames of a task after a number. */
  storedFrames: (stream: string, after: number, pause: Pause) => AsyncIterable<Frame>
  nextFrame: (stream: string) => Promise<number>
  notDelivered: (taskId: string) => void
}

/** Environment sessions. */
export type SessionDoor = {
  sessions: Sessions
  sessionQueries: SessionQueries
  /** The machine of a session, its state, and the events that may follow. */
  sessionMachineOf: (state: SessionState) => object
  /** Seconds without an access after which a session is inactive. */
  idleSeconds: number
}

/** Environments, and the sessions in which they live. */
export type EnvironmentDoor = {
  sessions: Sessions
  environments: {
    list(): Promise<EnvironmentInfo[]>
    info(name: string): Promise<EnvironmentInfo[]>
  }
}

/** The stored log, for auditors. */
export type AuditDoor = { audit: AuditTrail; queries: Pick<Queries, 'headPosition'> }

/** What checks every request, and what observes all of them. */
export type Gate = {
  /** Pages of these origins may use the API from a browser; `*`: of all. */
  allowedOrigins: readonly string[]
  /** How the time of the event loop is shared between users. */
  loop: LoopShares
  requests: RequestCounts
  report: Report
  /** True: every request is reported, at `debug`. */
  verbose: boolean
}

/** The server's own state, for monitoring. */
export type StateDoor = {
  readiness: () => { log: 'ok' | 'failing'; read_models: 'ok' | 'behind'; [more: string]: unknown }
  /** All metrics, in the format of Prometheus. */
  metrics: () => Promise<{ contentType: string; text: string }>
}
