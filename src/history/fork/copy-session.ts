// Copies the events of an environment session, as the past of a copied session. The copies have other ids, no keys of
// requests, and their own references to secret values.
import {
  type EnvSessionEventData,
  type EnvSessionEventType,
  stepSecretRef,
} from '../../contract/events/env-session-events.ts'
import type { NewIds } from './new-ids.ts'

/**
 * `stream`: the stream of the copy. `sessionRef`: makes the copy's reference to its secret variables. `renamed`
 * is called with each old reference to secret values and the reference that the copy has in its place.
 */
export type CopyingSession = {
  ids: NewIds
  stream: string
  sessionRef: () => string
  renamed: (ref: string, now: string) => void
}
type Copy<T extends EnvSessionEventType> = (
  data: EnvSessionEventData<T>,
  copying: CopyingSession,
) => EnvSessionEventData<T>

type Keys = { idempotency_key?: string; digest?: string; body_digest?: string }
/** A repeated request must find the session to which it was sent, so the copy of that session has no keys. */
const withoutKeys = <T extends Keys>({ idempotency_key: _, digest: __, body_digest: ___, ...rest }: T) => rest

const refOf = (ref: string | undefined, now: () => string, { renamed }: CopyingSession) => {
  if (ref === undefined) return {}
  const secret_ref = now()
  renamed(ref, secret_ref)
  return { secret_ref }
}

const copies: { [T in EnvSessionEventType]: Copy<T> } = {
  EnvSessionCreated({ secret_ref, ...data }, copying) {
    const session_id = copying.ids.task.session_id
    return { ...withoutKeys(data), session_id, ...refOf(secret_ref, copying.sessionRef, copying) }
  },
  EnvStepIntended: (data, { ids }) => ({ ...withoutKeys(data), effect_id: ids.effect(data.effect_id) }),
  EnvStepCompleted({ secret_ref, task_id, ...data }, copying) {
    const { ids, stream } = copying
    const effect_id = ids.effect(data.effect_id)
    return {
      ...withoutKeys(data),
      effect_id,
      ...(task_id === undefined ? {} : { task_id: ids.known(task_id) }),
      ...refOf(secret_ref, () => stepSecretRef(stream, effect_id), copying),
    }
  },
  EnvSessionReset: withoutKeys,
  EnvSessionClosed: data => data,
  EnvSessionDeleted: data => data,
}

type Copied<T extends EnvSessionEventType> = { [K in T]: { type: K; data: EnvSessionEventData<K> } }[T]

/** The copy of one event. */
export const copyOfSessionEvent = <T extends EnvSessionEventType>(
  { type, data }: Copied<T>,
  copying: CopyingSession,
): Copied<T> => ({ type, data: copies[type](data, copying) })
