// The fold of an environment session: what its events say so far. The only one.
import type { StepWish } from '../contract/env-session-commands.ts'
import type {
  EnvSessionEventData,
  EnvSessionEventType,
  SessionState,
  Snapshot,
} from '../contract/env-session-events.ts'
import { sessionStateAfter } from '../contract/env-session-events.ts'
import type { OpenObject } from '../contract/environment.ts'
import type { Recorded } from '../contract/stored.ts'
import type { EnvSession, EnvStepAnswer, ToolDefinition } from '../contract/wire.ts'

export type SessionView = {
  revision: number
  position: number
  state: SessionState
  created: EnvSessionEventData<'EnvSessionCreated'> | undefined
  createdAt: number
  /** Of the newest create, step or reset, milliseconds. */
  accessedAt: number
  /** The newest step; 0: none. Counts on over restarts and resets. */
  step: number
  /** Those before the newest create or reset. */
  stepsBefore: number
  seed: number
  observation: OpenObject
  observed: OpenObject
  tools: ToolDefinition[]
  done: boolean
  snapshot: Snapshot | undefined
  /** A step that was begun and has no result: only where steps cannot be done again. */
  open: EnvSessionEventData<'EnvStepIntended'> | undefined
  /** The newest step as it was answered, and what it was asked with. */
  newest: EnvSessionEventData<'EnvStepCompleted'> | undefined
  /** Steps by the key of their request, or by the effect of the task that took them. */
  byKey: Map<string, { digest: string; revision: number; at: number }>
  byEffect: Map<string, number>
  /** Creates by the key of their request. */
  byCreateKey: Map<string, { digest: string; revision: number }>
  closeReason: string | undefined
}

export const emptySession = (): SessionView => ({
  revision: -1,
  position: 0,
  state: 'absent',
  created: undefined,
  createdAt: 0,
  accessedAt: 0,
  step: 0,
  stepsBefore: 0,
  seed: 0,
  observation: {},
  observed: {},
  tools: [],
  done: false,
  snapshot: undefined,
  open: undefined,
  newest: undefined,
  byKey: new Map(),
  byEffect: new Map(),
  byCreateKey: new Map(),
  closeReason: undefined,
})

type Seen = { observation: OpenObject; state: OpenObject; done: boolean }
const see = (view: SessionView, { observation, state, done }: Seen, at: number) => {
  view.observation = observation
  view.observed = state
  view.done = done
  view.accessedAt = at
}

type Fold<T extends EnvSessionEventType> = (
  view: SessionView,
  data: EnvSessionEventData<T>,
  at: number,
  revision: number,
) => void

const folds: { [T in EnvSessionEventType]: Fold<T> } = {
  EnvSessionCreated: (view, data, at, revision) => {
    const { idempotency_key: key, digest = '' } = data
    if (key !== undefined) view.byCreateKey.set(key, { digest, revision })
    view.created = data
    view.createdAt = at
    view.seed = data.seed
    view.stepsBefore = data.steps_before ?? 0
    view.tools = data.tools
    view.snapshot = data.snapshot
    view.newest = undefined
    view.open = undefined
    view.closeReason = undefined
    see(view, data, at)
  },
  EnvStepIntended: (view, data) => {
    view.open = data
  },
  EnvStepCompleted: (view, data, at, revision) => {
    view.step = data.step
    if (view.open?.effect_id === data.effect_id) view.open = undefined
    view.newest = data
    view.tools = data.tools ?? view.tools
    view.snapshot = data.snapshot ?? view.snapshot
    view.byEffect.set(data.effect_id, revision)
    if (data.idempotency_key !== undefined) {
      view.byKey.set(data.idempotency_key, { digest: data.digest ?? '', revision, at })
    }
    see(view, data, at)
  },
  EnvSessionReset: (view, data, at) => {
    view.seed = data.seed
    view.stepsBefore = data.steps_before ?? 0
    view.tools = data.tools ?? view.tools
    view.snapshot = data.snapshot ?? view.snapshot
    see(view, data, at)
  },
  EnvSessionClosed: (view, { reason }) => {
    view.closeReason = reason
    view.open = undefined
  },
  EnvSessionDeleted: () => {},
}

/** Moves the view by one event of its stream. Throws when the event does not fit what came before. */
export const evolveSession = (view: SessionView, { position, header, data }: Recorded): SessionView => {
  const type = header.type as EnvSessionEventType
  const fold = folds[type] as Fold<EnvSessionEventType> | undefined
  if (fold === undefined) throw new Error(`there is no session event ${type}`)
  view.state = sessionStateAfter(view.state, type)
  fold(view, data as EnvSessionEventData<EnvSessionEventType>, Date.parse(header.time), header.revision)
  view.revision = header.revision
  view.position = position
  return view
}

/** The revision of the step that this one is once more; undefined: it has not been taken. */
export const takenAt = (
  { byEffect, byKey, newest }: SessionView,
  { effectId, keys, repeats }: Pick<StepWish, 'effectId' | 'keys' | 'repeats'>,
): number | undefined => {
  const keyed = keys.idempotencyKey === undefined ? undefined : byKey.get(keys.idempotencyKey)
  if (keyed !== undefined && keyed.digest === keys.digest) return keyed.revision
  const isNewest = newest !== undefined && newest.digest === keys.digest && repeats?.(newest.effect_id)
  return byEffect.get(isNewest ? newest.effect_id : effectId)
}

const seconds = (millis: number): number => Math.floor(millis / 1000)

/** The session record of the interface. */
export const sessionOf = (view: SessionView): EnvSession => {
  const { created } = view
  if (created === undefined) throw new Error('there is no session yet')
  return {
    session_id: created.session_id,
    user_id: created.user_id,
    client_id: created.client_id,
    env_id: created.env_id,
    env_vars: created.env_vars,
    is_active: view.state === 'active',
    created_at: seconds(view.createdAt),
    last_accessed_at: seconds(view.accessedAt),
    ...(view.closeReason === undefined ? {} : { close_reason: view.closeReason }),
  }
}

/** The answer of a step, as it was given, whenever it is asked for. */
export const stepAnswerOf = (
  created: { session_id: string; env_id: string },
  data: EnvSessionEventData<'EnvStepCompleted'>,
  tools: ToolDefinition[],
): EnvStepAnswer => ({
  session_id: created.session_id,
  env_id: created.env_id,
  step: data.step,
  tool_result: {
    type: 'tool_result',
    id: data.item_id,
    status: data.status,
    call_id: data.effect_id,
    message_content: data.content,
    block_list: data.blocks ?? [],
  },
  observation: data.observation,
  state: data.state,
  reward: data.reward,
  terminated: data.terminated,
  truncated: data.truncated,
  done: data.done,
  info: data.info,
  tools,
})
