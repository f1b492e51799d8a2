// The dependencies of the operations on environment sessions, and the state that they share.
import type { Callers } from '../../actors/env-session/callers.ts'
import type { SessionFolders } from '../../actors/env-session/ports.ts'
import type { Runtime } from '../../actors/runtime/runtime.ts'
import type { SessionCommand } from '../contract/commands/env-session-commands.ts'
import type { EnvironmentSource, OpenObject } from '../contract/environment.ts'
import type { Principal } from '../contract/events/token-events.ts'
import type { Clock, Ids } from '../contract/ports.ts'
import type { DiskUse } from '../fairness/disk/disk-use.ts'
import type { Quotas } from '../fairness/quotas.ts'
import type { SessionView } from '../history/env-session.ts'
import type { SchemaChecker } from '../json-schema/checker.ts'
import type { EventLog } from '../log/log.ts'
import type { Once } from '../once/once.ts'
import type { Secrets } from '../platform/secrets.ts'
import type { SessionQueries } from './queries.ts'
import type { SessionRetries } from './retries.ts'
import type { StepsUnderWay } from './steps-under-way.ts'

export type Resolved =
  | { source: EnvironmentSource; parameters: OpenObject }
  | { refused: 'unknown' | 'forbidden' | 'broken' | 'unavailable'; message: string; kinds?: string[] }

export type SessionDeps = {
  runtime: Runtime<SessionView, SessionCommand>
  callers: Callers
  queries: SessionQueries
  environments: { resolve(envId?: string, classPath?: string): Promise<Resolved> }
  checker: SchemaChecker
  log: EventLog
  once: Once
  secrets: Secrets
  quotas: Pick<Quotas, 'reserveSession' | 'countRefusal'>
  disk: Pick<DiskUse, 'mustHaveRoom' | 'watch' | 'changed'>
  folders: Pick<SessionFolders, 'copyState' | 'clear'>
  clock: Clock
  ids: Ids
  randomSeed: () => number
  /** Resolves when the instance and the files of an ended session are removed. */
  removed: (stream: string) => Promise<void>
  /** Whether a task that has not ended names the session. */
  isNamed: (session: { id: string; userId: string }) => boolean
}

export type Shared = SessionDeps & {
  retries: SessionRetries
  steps: StepsUnderWay
  /** The time at which each session was last observed, in Unix milliseconds. No event stores this time. */
  lookedAt: Map<string, number>
}

/** The caller of an operation, and its request. */
export type Asked = { principal: Principal; requestId: string }
export const by = ({ principal, requestId }: Asked) => ({ principal: principal.id, causation: requestId })
