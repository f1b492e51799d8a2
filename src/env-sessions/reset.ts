// Resets a session, with a seed and options.

import { AuthorsError } from '../contract/environment.ts'
import { envSessionStream } from '../contract/events/env-session-events.ts'
import { ResetEnvBody } from '../contract/wire.ts'
import { takenAt } from '../history/env-session.ts'
import type { Attempt } from '../once/once.ts'
import { digestOfRequest } from '../platform/digest.ts'
import { type Asked, by, type Shared } from './deps.ts'
import { invalid } from './invalid.ts'
import { active, foldTo, lost, mustBeNew, settled } from './reading.ts'
import { isUnkeyedRetry, keysOf } from './retries.ts'

export const resetSession = async (
  deps: Shared,
  asked: Asked,
  body: ResetEnvBody,
  request: Attempt & { began(): void },
) => {
  const { queries, retries, steps, callers, runtime } = deps
  const { session_id: id, seed, options } = body
  const { principal } = asked
  const { delivery, began, key } = request
  const stream = envSessionStream(id)
  const keys = keysOf('reset', digestOfRequest(ResetEnvBody, body, 'reset'), body, key)
  const repeats = isUnkeyedRetry(request) ? retries.repeats(principal, id, delivery) : undefined
  const command = {
    type: 'ResetSession' as const,
    seed: seed ?? deps.randomSeed(),
    options: options ?? {},
    ...{ keys, ...by(asked) },
  }
  queries.visible(principal, id)
  const before = await settled(deps, id)
  if (takenAt(before, { keys }, principal.id, repeats) === undefined) {
    mustBeNew(before, keys, principal)
    await active(deps, principal, id)
    steps.stopAll(id, 'reset')
  }
  const caller = { began, ...(repeats === undefined ? {} : { repeats }) }
  const send = (no: number) => runtime.ask(stream, { ...command, no })
  const view = await callers.ask(caller, send).catch(error => {
    throw error instanceof AuthorsError ? invalid(['options'], error.message) : error
  })
  const known = takenAt(view, { keys }, principal.id, repeats)
  if (known === undefined && view.state !== 'active') throw lost(view)
  const revision = known ?? view.revision
  const { observation, tools, done } =
    revision === view.revision ? view : await foldTo(deps, stream, revision)
  retries.answered(principal, id, revision, delivery)
  return { observation, tools, done }
}
