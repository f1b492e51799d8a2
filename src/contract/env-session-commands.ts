// What can be asked of an environment session. Every command is plain data: what a caller hears while its request runs, and
// how it stops it, is kept beside the actor under the number of the request (`actors/env-session/callers.ts`).
import type { Asked, RequestKeys } from './commands.ts'
import type { EnvSessionEventData, Snapshot } from './env-session-events.ts'
import type { EnvironmentSource, OpenObject, Recovery, ResetAnswer, StepAnswer } from './environment.ts'

type Created = EnvSessionEventData<'EnvSessionCreated'>

/** Of a retry without a key: whether it may be the request that stored the event of this revision, asked again. */
export type Repeats = (revision: number) => boolean

export type StepWish = {
  toolName: string
  toolArgs: OpenObject
  /** Variables for this step alone, over those of the session. */
  envVars?: Record<string, string>
  /** Names the step for whoever may ask for it again: a task's call, or the request. */
  effectId: string
  /** Which run of that call it is; absent: the first. */
  attempt?: number
  itemId: string
  taskId?: string
  expectedStep?: number
  keys: RequestKeys
}

/** What is asked of a session and needs its environment. `request`: the number under which its caller is known. */
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

/** What came of a wish outside: at a moment, with the state kept where the environment can keep it. */
export type Outcome = { now: number; snapshot?: Snapshot } & (
  | { of: 'reset'; answer: ResetAnswer; recovery: Recovery }
  | { of: 'step'; answer: StepAnswer; stopped?: boolean; secretRef?: string }
  /** The instance has gone, and with it the session; a step that was under way is stored as far as it came. */
  | { of: 'loss'; reason: string; during?: 'step' }
  | { of: 'closed' }
  /** The instance is there for a step that may not be repeated: its intent can be stored. */
  | { of: 'ready' }
  /** `state`: what is there to see, where that is older than what the log says. */
  | { of: 'seen'; state?: OpenObject }
  /** It failed, and changed nothing. */
  | { of: 'nothing' }
)

export type SessionCommand =
  | SessionWish
  /** Stores of a step that was intended and has no result that nobody knows how it ended. */
  | (Asked & { type: 'SettleStep' })
  /** What came of a wish, from the effect that carried it out. */
  | { type: 'ReportOutcome'; wish: SessionWish; outcome: Outcome }
