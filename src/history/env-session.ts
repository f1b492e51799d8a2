// Folds the events of an environment session into its view. The actor and all readers use this fold.

import { type SessionState, sessionStateAfter } from '../contract/charts/env-session-chart.ts'
import type { RequestKeys } from '../contract/commands/commands.ts'
import type { Repeats } from '../contract/commands/env-session-commands.ts'
import type { RecordedSessionEvent } from '../contract/decoders/env-session.ts'
import type { OpenObject } from '../contract/environment.ts'
import type {
  EnvSessionEventData,
  EnvSessionEventType,
  Snapshot,
} from '../contract/events/env-session-events.ts'
import type { EnvSession, EnvStepAnswer, ToolDefinition } from '../contract/wire.ts'

type Known = { digest: string; revision: number }
/** `bodyDigest`: undefined for a request with a key, and for a call of a task. */
type NewestRequest = { revision: number; bodyDigest: string | undefined }

/** Names an idempotency key together with its principal: two principals may use equal keys. */
export const nameOfKey = (principal: string, key: string): string => JSON.stringify([principal, key])

export type SessionView = {
  revision: number
  position: number
  state: SessionState
  created: EnvSessionEventData<'EnvSessionCreated'> | undefined
  createdAt: number
  /** The time of the newest create, step or reset, in milliseconds. */
  accessedAt: number
  /** The number of the newest step; 0: none. The count goes on after restarts and resets. */
  step: number
  /** The number of steps before the newest create or reset. */
  stepsBefore: number
  seed: number
  observation: OpenObject
  observed: OpenObject
  tools: ToolDefinition[]
  done: boolean
  snapshot: Snapshot | undefined
  /** The step whose state is kept; undefined: the state is that of the newest create or reset. */
  keptStep: number | undefined
  /** Whether the environment keeps states, but the state of the newest step was not kept. */
  isUnkept: boolean
  /** A step that has begun and has no result; only for environments whose steps must not be repeated. */
  open: EnvSessionEventData<'EnvStepIntended'> | undefined
  /** The principal that asked for the open step, and what caused the step. */
  openBy: { principal: string; causation: string }
  /** The newest completed step. */
  newest: EnvSessionEventData<'EnvStepCompleted'> | undefined
  /** Steps and resets by the key of their request (`nameOfKey`). */
  byKey: Map<string, Known>
  /** The revisions of steps, by the effect id of the task's call or of the request that took them. */
  byEffect: Map<string, number>
  /** For each step whose outcome is unknown: the number of the attempt, by the effect id of the step. */
  unknown: Map<string, number>
  /** Creates by the key of their request (`nameOfKey`). */
  byCreateKey: Map<string, Known>
  /** For each principal: its newest create, step or reset since the session was created (again). */
  newestBy: Map<string, NewestRequest>
  closeReason: string | undefined
  /** The references to the secret values in the variables of the session and of its steps. */
  secretRefs: string[]
  /** The revision of the newest deletion of the session. */
  deletedAt: number | undefined
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
  keptStep: undefined,
  isUnkept: false,
  open: undefined,
  openBy: { principal: '', causation: '' },
  newest: undefined,
  byKey: new Map(),
  byEffect: new Map(),
  unknown: new Map(),
  byCreateKey: new Map(),
  newestBy: new Map(),
  closeReason: undefined,
  secretRefs: [],
  deletedAt: undefined,
})

type Seen = { observation: OpenObject; state: OpenObject; done: boolean }
const see = (view: SessionView, { observation, state, done }: Seen, at: number) => {
  view.observation = observation
  view.observed = state
  view.done = done
  view.accessedAt = at
}

type KeysOfEvent = Pick<EnvSessionEventData<'EnvSessionReset'>, 'idempotency_key' | 'digest' | 'body_digest'>
/** Remembers the snapshot that was kept with an event, or that none was kept. `step`: the step of the event. */
const keep = (view: SessionView, snapshot: Snapshot | undefined, step?: number): void => {
  view.isUnkept = snapshot === undefined && view.created?.recovery === 'snapshot'
  if (snapshot === undefined) return
  view.snapshot = snapshot
  view.keptStep = step
}

/** Remembers which principal asked for an event, with which keys. */
const know = (
  view: SessionView,
  byKey: Map<string, Known>,
  { idempotency_key: key, digest, body_digest: bodyDigest }: KeysOfEvent,
  { by, revision }: Pick<Place, 'by' | 'revision'>,
) => {
  if (key !== undefined) byKey.set(nameOfKey(by, key), { digest: digest ?? '', revision })
  view.newestBy.set(by, { revision, bodyDigest })
}

/** The time of an event (milliseconds), its revision, the principal that asked for it, and the cause. */
type Place = { at: number; revision: number; by: string; causation: string }
type Fold<T extends EnvSessionEventType> = (
  view: SessionView,
  data: EnvSessionEventData<T>,
  place: Place,
) => void

const folds: { [T in EnvSessionEventType]: Fold<T> } = {
  EnvSessionCreated: (view, data, place) => {
    view.newestBy.clear()
    know(view, view.byCreateKey, data, place)
    view.created = data
    view.secretRefs = data.secret_ref === undefined ? [] : [data.secret_ref]
    view.createdAt = place.at
    view.seed = data.seed
    view.stepsBefore = data.steps_before ?? 0
    view.tools = data.tools
    view.snapshot = undefined
    keep(view, data.snapshot)
    view.newest = undefined
    view.open = undefined
    view.closeReason = undefined
    see(view, data, place.at)
  },
  EnvStepIntended: (view, data, { by, causation }) => {
    view.open = data
    view.openBy = { principal: by, causation }
  },
  EnvStepCompleted: (view, data, { at, revision, by }) => {
    // The principal that closes a session may also store the result of a step that another principal began.
    const open = view.open?.effect_id === data.effect_id ? view.open : undefined
    know(view, view.byKey, data, { revision, by: open === undefined ? by : view.openBy.principal })
    view.step = data.step
    if (open !== undefined) view.open = undefined
    view.newest = data
    if (data.secret_ref !== undefined) view.secretRefs.push(data.secret_ref)
    view.tools = data.tools ?? view.tools
    if (data.unknown === true) view.unknown.set(data.effect_id, open?.attempt ?? 1)
    else {
      keep(view, data.snapshot, data.step)
      view.byEffect.set(data.effect_id, revision)
    }
    see(view, data, at)
  },
  EnvSessionReset: (view, data, place) => {
    know(view, view.byKey, data, place)
    view.seed = data.seed
    view.stepsBefore = data.steps_before ?? 0
    view.tools = data.tools ?? view.tools
    keep(view, data.snapshot)
    see(view, data, place.at)
  },
  EnvSessionClosed: (view, { reason }) => {
    view.closeReason = reason
    view.open = undefined
  },
  EnvSessionDeleted: (view, _, { revision }) => {
    view.deletedAt = revision
  },
}

/** Applies one event of the stream to the view. Throws when the event cannot follow the earlier events. */
export const evolveSession = (
  view: SessionView,
  { position, type, header, data }: RecordedSessionEvent,
): SessionView => {
  const fold = folds[type] as Fold<EnvSessionEventType>
  const isNew = view.state === 'deleted'
  view.state = sessionStateAfter(view.state, type)
  if (isNew) {
    // Only EnvSessionCreated follows a deletion. Of the deleted session, only the keys of its creation stay known.
    view.step = 0
    view.byKey.clear()
  }
  const { time, revision, principal: by, causation_id: causation } = header
  fold(view, data, { at: Date.parse(time), revision, by, causation })
  view.revision = header.revision
  view.position = position
  return view
}

/** Whether two requests without a key are the same: their whole bodies must be equal. */
const isSame = ({ bodyDigest }: NewestRequest, keys: RequestKeys): boolean =>
  bodyDigest !== undefined && bodyDigest === keys.bodyDigest

/** A request for a step (which has an effect id) or for a reset. A repeated request is not carried out again. */
type Repeatable = { keys: RequestKeys; effectId?: string }

/** The revision of the event that an earlier copy of this request has stored; undefined: the request is new. */
export const takenAt = (
  { byEffect, byKey, newestBy }: SessionView,
  { effectId, keys }: Repeatable,
  principal: string,
  repeats?: Repeats,
): number | undefined => {
  const { idempotencyKey: key, digest } = keys
  const known = key === undefined ? undefined : byKey.get(nameOfKey(principal, key))
  if (known !== undefined && known.digest === digest) return known.revision
  const newest = newestBy.get(principal)
  if (newest !== undefined && isSame(newest, keys) && repeats?.(newest.revision)) return newest.revision
  return effectId === undefined ? undefined : byEffect.get(effectId)
}

/** Whether a request of this session has used the idempotency key of this request already. */
export const isKeyTaken = (
  { byKey }: SessionView,
  { idempotencyKey: key }: RequestKeys,
  principal: string,
): boolean => key !== undefined && byKey.has(nameOfKey(principal, key))

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
    kind: created.source.name,
    ...(view.closeReason === undefined ? {} : { close_reason: view.closeReason }),
  }
}

/** The answer that the caller of a step got, built again from its event. */
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
