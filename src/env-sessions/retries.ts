// Distinguishes a retry of a step or a reset from a new one. The session knows the keys of its requests for ever. A
// request without a key is a retry if it is marked as one, its body equals that of the same principal's last request, and
// the answer to that request counts as lost. Creates are recognized as everywhere (src/once/once.ts).
import type { RequestKeys } from '../contract/commands/commands.ts'
import type { Repeats } from '../contract/commands/env-session-commands.ts'
import type { Principal } from '../contract/events/token-events.ts'
import { CreateEnvBody, ResetEnvBody, StepEnvBody } from '../contract/wire.ts'
import type { Delivery, Retry } from '../once/once.ts'
import { digestOfRequest } from '../platform/digest.ts'
import { createDeliveries } from './deliveries.ts'

/** Whether a request is a retry that has no key. */
export const isUnkeyedRetry = ({ isRetry, key }: Retry): boolean => isRetry && key === undefined

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

export const createSessionRetries = () => {
  const deliveries = createDeliveries()
  const placeOf = (principal: Principal, id: string) => JSON.stringify([principal.id, id])
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
  }
}
export type SessionRetries = ReturnType<typeof createSessionRetries>
