// What can be asked of an environment session.
import type { Asked, RequestKeys } from './commands.ts'
import type { EnvSessionEventData } from './env-session-events.ts'
import type { EnvironmentSource, OpenObject } from './environment.ts'

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
  repeats?: Repeats
  /** Hears the number of the step when it begins, */
  began(step: number): void
  /** and what it says while it runs. */
  emit(text: string): void
  signal: AbortSignal
}

export type SessionCommand = Asked &
  (
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
        /** Hears that an instance is made, and none that is there already is answered. */
        began(): void | Promise<void>
      }
    /** Says before a step that may not be repeated that it is about to be taken. */
    | { type: 'IntendStep'; step: StepWish }
    | { type: 'TakeStep'; step: StepWish }
    /** Says of a step that was intended and has no result that nobody knows how it ended. */
    | { type: 'TellLostStep' }
    | {
        type: 'ResetSession'
        seed: number
        options: OpenObject
        keys: RequestKeys
        repeats?: Repeats
        /** Hears that it is done, and none that was done before is answered. */
        began(): void
      }
    | { type: 'ObserveSession' }
    | { type: 'CloseSession'; reason: string }
    | { type: 'DeleteSession' }
  )
