// The commands of an environment session. Every command is plain data. The callbacks and the abort signal of a caller are
// kept beside the actor, under the number of the request (`actors/env-session/callers.ts`).
import type { Asked, RequestKeys } from './commands.ts'
import type { EnvSessionEventData, Snapshot } from './env-session-events.ts'
import type { EnvironmentSource, OpenObject, Recovery, ResetAnswer, StepAnswer } from './environment.ts'

type Created = EnvSessionEventData<'EnvSessionCreated'>

/** For a request without a key: whether it may repeat the request that stored the event of this revision. */
export type Repeats = (revision: number) => boolean

export type StepWish = {
  toolName: string
  toolArgs: OpenObject
  /** Variables for this step alone, over those of the session. */
  envVars?: Record<string, string>
  /** The name of the step, under which it can be asked for again: the call of a task, or the request. */
  effectId: string
  /** The number of the run of that call; absent: the first. */
  attempt?: number
  itemId: string
  taskId?: string
  expectedStep?: number
  keys: RequestKeys
}

/** An accepted request that needs the environment. `request`: the number under which its caller is known. */
export type SessionWish = Asked & { request: number } & (
    | {
        type: 'CreateSession'
        wish: Pick<
          Created,
          'session_id' | 'env_id' | 'user_id' | 'client_id' | 'kwargs' | 'env_vars' | 'secret_ref'
        >
        source: EnvironmentSource
        /** The values of `env_vars`. */
        values: Record<string, string>
        seed: number
        keys: RequestKeys
      }
    | { type: 'TakeStep'; step: StepWish }
    | { type: 'ResetSession'; seed: number; options: OpenObject; keys: RequestKeys }
    | { type: 'ObserveSession' }
    | { type: 'CloseSession'; reason: string }
    | { type: 'DeleteSession' }
  )

/** The outcome of a wish that was carried out: its time, and the kept state where the environment can keep one. */
export type Outcome = { now: number; snapshot?: Snapshot } & (
  | { of: 'reset'; answer: ResetAnswer; recovery: Recovery }
  | { of: 'step'; answer: StepAnswer; stopped?: boolean; secretRef?: string }
  /** The instance is gone, and the session with it. A step that was running is stored as far as it came. */
  | { of: 'loss'; reason: string; during?: 'step' }
  | { of: 'closed' }
  /** The instance is ready for a step that must not be repeated, so the intent can be stored. */
  | { of: 'ready' }
  /** `state`: the visible state, when it is older than the log. */
  | { of: 'seen'; state?: OpenObject }
  /** The request failed and changed nothing. */
  | { of: 'nothing' }
)

export type SessionCommand =
  | SessionWish
  /** Stores that the result of an intended step is unknown. */
  | (Asked & { type: 'SettleStep' })
  /** The outcome of a wish, from the effect that carried it out. */
  | { type: 'ReportOutcome'; wish: SessionWish; outcome: Outcome }
