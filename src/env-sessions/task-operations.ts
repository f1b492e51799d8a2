// Resets and observes the environment session of a task, for the code of its agent.
import { Compile } from 'typebox/compile'
import type { EnvOperation } from '../contract/environment.ts'
import { Invalid } from '../contract/refusals.ts'
import { StorageFailure } from '../contract/stored.ts'
import { ResetEnvBody } from '../contract/wire.ts'
import type { Shared } from './deps.ts'
import { observe } from './observe.ts'
import { resetSession } from './reset.ts'
import { isOf } from './task-steps.ts'

const system = { id: 'system', role: 'admin', userId: undefined, expiresAt: undefined } as const
const fits = Compile(ResetEnvBody)
const noDelivery = { onEnd() {} }

const reset = async (deps: Shared, body: ResetEnvBody, effectId: string) => {
  const attempt = { key: effectId, isRetry: false, delivery: noDelivery, began() {} }
  const tryReset = () => resetSession(deps, { principal: system, requestId: effectId }, body, attempt)
  // The log may have a reset whose write has failed, so the same reset is asked for again.
  return tryReset().catch(async error => {
    if (!(error instanceof StorageFailure)) throw error
    await deps.log.opened()
    return tryReset()
  })
}

/** Rejects with an error that the code of the agent can read. */
export const operateFor = async (
  deps: Shared,
  sessionId: string,
  userId: string,
  { of, args, effectId }: EnvOperation,
): Promise<object> => {
  if (!isOf(deps, sessionId, userId)) throw new Error('the session of this task has no environment')
  if (of === 'observe') return observe(deps, { principal: system, requestId: effectId }, sessionId)
  const body = { ...args, session_id: sessionId }
  if (!fits.Check(body)) throw new Error('a reset takes a whole number `seed` and an object `options`')
  return reset(deps, body, effectId).catch(error => {
    if (!(error instanceof Invalid)) throw error
    throw new Error(error.problems.map(({ msg }) => msg).join('; '))
  })
}
