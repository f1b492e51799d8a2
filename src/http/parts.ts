// What the routes are given, and what every request carries.
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import type { Principals } from '../access/principals.ts'
import type { Access } from '../access/roles.ts'
import type { Tickets } from '../access/tickets.ts'
import type { Roots } from '../access/user-folders.ts'
import type { Events } from '../bus/events.ts'
import type { Feed, FeedWish } from '../bus/feed.ts'
import type { AuditTrail } from '../contract/audit.ts'
import type { SessionState } from '../contract/env-session-chart.ts'
import type { Report } from '../contract/ports.ts'
import type { TaskState } from '../contract/task-state.ts'
import type { Principal } from '../contract/token-events.ts'
import type { AgentInfo, EnvironmentInfo } from '../contract/wire.ts'
import type { OperationId } from '../documents/operations.ts'
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
import type { AgentChoice } from '../tasks/request.ts'
import type { CallersAnswers, LongAnswers } from './long-answers.ts'
import type { OpenStreams } from './open-streams.ts'

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

/** What the routes are given. */
export type Parts = {
  commands: Commands
  queries: Queries
  principals: Principals
  tickets: Tickets
  sessions: Sessions
  sessionQueries: SessionQueries
  environments: {
    list(): Promise<EnvironmentInfo[]>
    info(name: string): Promise<EnvironmentInfo[]>
  }
  /** The machine of a session, its state, and what may follow. */
  sessionMachineOf: (state: SessionState) => object
  /** After so long without a look a session is inactive. */
  idleSeconds: number
  openStreams: OpenStreams
  /** How the time of the event loop is shared between users. */
  loop: LoopShares
  quotas: Pick<Quotas, 'openStream' | 'openSocket'>
  /** The public events of the log. */
  events: Events
  /** Where users have their folders. */
  roots: Roots
  /** `list`: of the agents, for those who choose one. */
  agents: AgentChoice & { list: readonly AgentInfo[] }
  recall: Recall
  audit: AuditTrail
  /** The machine of a task, its state, and what may follow. */
  machineOf: (state: TaskState) => object
  /** The number of the last frame that told of the acceptance of these answers. */
  afterAnswers: (taskId: string, callIds: string[]) => Promise<number>
  /** What is wrong with a JSON Schema that a caller gave. Users take turns. */
  problemsOfSchema: (schema: object, user: string) => Promise<string[]>
  bodyLimit: number
  /** Pages of these origins may use the API from a browser; `*`: of all. */
  allowedOrigins: readonly string[]
  newId: () => string
  /** An id for the result of a call that a caller gives. */
  newItemId: () => string
  streamOf: (taskId: string) => string
  openFeed: (wish: FeedWish, isNew?: boolean) => Feed
  /** The stored frames of a task after a number. */
  storedFrames: (stream: string, after: number, pause: Pause) => AsyncIterable<Frame>
  longAnswers: LongAnswers
  nextFrame: (stream: string) => Promise<number>
  notDelivered: (taskId: string) => void
  readiness: () => { log: 'ok' | 'failing'; read_models: 'ok' | 'behind'; [more: string]: unknown }
  requests: RequestCounts
  /** Everything that is counted, in words of Prometheus. */
  metrics: () => Promise<{ contentType: string; text: string }>
  /** Aborts when the server begins to go down. */
  stopping: AbortSignal
  report: Report
  /** Every request is told of, at `debug`. */
  verbose: boolean
  /** A bug, or storage gone: logged in full. */
  fault: (error: unknown, about: { request_id: string; route: string | undefined }) => void
}

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal
    envelopeId: string
    /** The digest of a create, where a large body was read and the digest made with it. */
    bodyDigest: string | undefined
  }
  interface FastifyContextConfig {
    /** Whose route it is. */
    operation?: OperationId
    access?: Access
    /** It is a stream, whatever the caller accepts. */
    stream?: boolean
    /** Its body is a create, which has a digest. */
    isCreate?: boolean
    /** Errors of this operation are answered in an envelope. */
    envelope?: boolean
  }
}

/** Reports what a request ran into that is not the caller's doing. */
export const faultOf =
  ({ fault }: Pick<Parts, 'fault'>, request: FastifyRequest) =>
  (error: unknown): void =>
    fault(error, { request_id: request.envelopeId, route: request.routeOptions.url })

/** The long answers of the caller of a request. */
export const answersOf = (
  { longAnswers }: Pick<Parts, 'longAnswers'>,
  { principal }: FastifyRequest,
  { raw }: FastifyReply,
): CallersAnswers => longAnswers.ofCaller(principal, () => raw.destroyed)
