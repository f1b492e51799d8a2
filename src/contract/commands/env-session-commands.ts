// The commands of an environment session. Every command is plain data. The callbacks and the abort signal of a caller
// are kept beside the actor, under the number of the request (`actors/env-session/callers.ts`).

import type { EnvironmentSource, OpenObject, Recovery, ResetAnswer, StepAnswer } from '../environment.ts'
import type { EnvSessionEventData, Snapshot } from '../events/env-session-events.ts'
import type { Asked, RequestKeys } from './commands.ts'

type Created = EnvSessionEventData<'EnvSessionCreated'>

/** Whether a request without a key may be a retry of the request that stored the event with this revision. */
export type Repeats = (revision: number) => boolean

export type StepRequest = {
  toolName: string
  toolArgs: OpenObject
  /** Variables for this step alone. They take precedence over the variables of the session. */
  envVars?: Record<string, string>
  /** The id of the task's call, or of the request. A request with a known id gets the answer of the earlier step. */
  effectId: string
  /** The number of the run of the task's call. If it is absent, this is the first run. */
  attempt?: number
  itemId: string
  taskId?: string
  expectedStep?: number
  keys: RequestKeys
}

/** An accepted request that needs the environment. `no` is the number under which its caller is kept. */
export type SessionRequest = Asked & { no: number } & (
    | {
        type: 'CreateSession'
        session: Pick<
          Created,
          'session_id' | 'env_id' | 'user_id' | 'client_id' | 'kwargs' | 'env_vars' | 'secret_ref'
        >
        source: EnvironmentSource
        /** The variables of the session, with their values. */
        values: Record<string, string>
        seed: number
        keys: RequestKeys
      }
    | { type: 'TakeStep'; step: StepRequest }
    | { type: 'ResetSession'; seed: number; options: OpenObject; keys: RequestKeys }
    | { type: 'ObserveSession' }
    | { type: 'CloseSession'; reason: string }
    | { type: 'DeleteSession' }
  )

/**
 * The outcome of a request that was carried out. `now` is the time at which the request began to run; `snapshot` is the
 * kept state, if the environment can keep its state.
 */
export type Outcome = { now: number; snapshot?: Snapshot } & (
  | { of: 'reset'; answer: ResetAnswer; recovery: Recovery; showsObservation: boolean }
  | { of: 'step'; answer: StepAnswer; stopped?: boolean; secretRef?: string }
  /**
   * The instance has ended, and the session is closed. If a step was running (`during`), the step is stored with the
   * reason in place of a result, and without its output so far.
   */
  | { of: 'loss'; reason: string; during?: 'step' }
  | { of: 'closed' }
  /** The instance is ready for a step that must not be repeated, so the intent can be stored. */
  | { of: 'ready' }
  /** The instance is there. `state` is what it shows, and is present only if the instance is older than the log. */
  | { of: 'seen'; state?: OpenObject }
  /** The request failed and changed nothing. */
  | { of: 'nothing' }
)

export type SessionCommand =
  | SessionRequest
  /** Stores that the result of an intended step is unknown. */
  | (Asked & { type: 'SettleStep' })
  /** The outcome of a request, from the effect that carried it out. */
  | { type: 'ReportOutcome'; request: SessionRequest; outcome: Outcome }
