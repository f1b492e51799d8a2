// Distinguishes a retry from a new request to an environment session. A request with a key is a retry if the key was
// used before. A request without a key is a retry if it is marked as one, its body equals that of the same principal's
// last request, and the answer to that request counts as lost.
import type { RequestKeys } from '../contract/commands.ts'
import type { Repeats } from '../contract/env-session-commands.ts'
import { envSessionStream } from '../contract/env-session-events.ts'
import type { Clock } from '../contract/ports.ts'
import type { Principal } from '../contract/token-events.ts'
import { CreateEnvBody, ResetEnvBody, StepEnvBody } from '../contract/wire.ts'
import type { SessionView } from '../history/env-session.ts'
import type { EventLog } from '../log/log.ts'
import { digestOfRequest } from '../platform/digest.ts'
import { createDeliveries, type Delivery } from '../tasks/deliveries.ts'
import { createMaking } from './making.ts'
import type { SessionQueries } from './queries.ts'

/** How an earlier attempt of the same request is found, and whether the answer of this attempt arrives. */
export type Retry = { idempotencyKey?: string | undefined; isRetry: boolean; delivery: Delivery }

/** Whether a request is a retry that has no key. */
export const isUnkeyedRetry = ({
  isRetry,
  idempotencyKey,
}: Pick<Retry, 'isRetry' | 'idempotencyKey'>): boolean => isRetry && idempotencyKey === undefined

type Deps = {
  log: EventLog
  clock: Clock
  queries: SessionQueries
  viewOf: (id: string) => Promise<SessionView>
  /** Whether a client has observed the session since its creation. */
  isSeen: (id: string) => boolean
}

/** A retry of a create is recognized for this many milliseconds after the create. */
const createLivesMs = 600_000
const hidden = '***'

const bodies = { create: CreateEnvBody, step: StepEnvBody, reset: ResetEnvBody }

/**
 * The keys of a request. `digest` covers the part of the body that must be the same under one key; `bodyDigest` covers
 * the whole body, except the values of `env_vars`.
 */
export const keysOf = (
  verb: keyof typeof bodies,
  digest: string,
  body: object & { env_vars?: Record<string, unknown> | null },
  idempotencyKey: string | undefined,
): RequestKeys => {
  const names = Object.keys(body.env_vars ?? {}).map(name => [name, hidden])
  return {
    digest,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    bodyDigest: digestOfRequest(bodies[verb], { ...body, env_vars: Object.fromEntries(names) }, verb),
  }
}

export const createSessionRetries = ({ log, clock, queries, viewOf, isSeen }: Deps) => {
  const deliveries = createDeliveries()
  const placeOf = (principal: Principal, id: string) => JSON.stringify([principal.id, id])
  const making = createMaking(log)

  /**
   * The session that an earlier create with this body made, if its answer was lost and no client has used the session.
   */
  const madeBefore = async (
    principal: Principal,
    userId: string,
    bodyDigest: string | undefined,
    delivery: Delivery,
  ): Promise<SessionView | undefined> => {
    const since = clock.now() - createLivesMs
    for (const { id, user_id, created_at } of queries.active()) {
      const place = placeOf(principal, id)
      const isOpen = () =>
        log.revisionOf(envSessionStream(id)) === 0 && !isSeen(id) && deliveries.isLost(place, 0)
      if (user_id !== userId || created_at < since || !isOpen()) continue
      const view = await viewOf(id)
      const request = view.newestBy.get(principal.id)
      if (request?.bodyDigest === undefined || request.bodyDigest !== bodyDigest || !isOpen()) continue
      deliveries.claim(place, 0, delivery)
      return view
    }
    return undefined
  }

  return {
    /** Whether a retry may repeat the request that was stored at a revision. Asking this changes nothing. */
    mayRepeat:
      (principal: Principal, id: string): Repeats =>
      revision =>
        deliveries.isLost(placeOf(principal, id), revision),
    /** Like `mayRepeat`, for the retry that gets the answer: claims the answer, so that no other retry gets it. */
    repeats(principal: Principal, id: string, delivery: Delivery): Repeats {
      const place = placeOf(principal, id)
      let mine: number | undefined
      return revision => {
        if (mine === revision) return true
        if (!deliveries.isLost(place, revision)) return false
        mine = revision
        deliveries.claim(place, revision, delivery)
        return true
      }
    },
    /** Notes that the answer to the request stored at a revision is being sent. */
    answered: (principal: Principal, id: string, revision: number, delivery: Delivery): void =>
      deliveries.expect(placeOf(principal, id), revision, delivery),

    /** For a create with neither a session id nor a key. A retry first waits for running creates with the same body. */
    async makeOnce<T>(
      { principal, userId, keys, isRetry, delivery }: MakeOnce,
      make: () => Promise<{ id: string; made: T }>,
    ): Promise<{ made: T } | { before: SessionView }> {
      const name = placeOf(principal, keys.bodyDigest ?? '')
      if (isRetry) {
        await making.over(name)
        const before = await madeBefore(principal, userId, keys.bodyDigest, delivery)
        if (before !== undefined) return { before }
      }
      const work = make().then(({ id, made }) => {
        // Unlike the answer of a step, this one counts as arrived while it is sent: two callers must not get one
        // session.
        deliveries.claim(placeOf(principal, id), 0, delivery)
        return { made }
      })
      making.add(name, work)
      return work
    },
  }
}
export type SessionRetries = ReturnType<typeof createSessionRetries>

type MakeOnce = Pick<Retry, 'isRetry' | 'delivery'> & {
  principal: Principal
  userId: string
  keys: RequestKeys
}
