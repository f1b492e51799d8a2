// Brings back the instance of a session: from its kept state, or by repeating the steps in the log.
import { isSameJson } from '../../src/contract/canonical.ts'
import { sessionEvents } from '../../src/contract/decoders/env-session.ts'
import type { EnvSessionEventData } from '../../src/contract/env-session-events.ts'
import { EnvironmentGone, type Instance, type OpenObject } from '../../src/contract/environment.ts'
import { Refusal } from '../../src/contract/refusals.ts'
import type { Log } from '../../src/contract/stored.ts'
import type { SessionView } from '../../src/history/env-session.ts'
import {
  type Environments,
  type Given,
  type OwnedSession,
  type SessionFolders,
  SessionLost,
} from './ports.ts'

/** Finds the secret values of a reference, such as a session's `env_vars`; undefined when they are gone. */
type Secrets = (ref: string) => Record<string, unknown> | undefined
type Deps = {
  environments: Environments
  folders: SessionFolders
  log: Log
  secrets: Secrets
  placeOf: (session: OwnedSession) => Pick<Given, 'dir' | 'fileBytes'>
}

/** The values of the variables of a session or of one of its steps. Throws SessionLost when they are gone. */
const valuesOf = (secrets: Secrets, { secret_ref }: { secret_ref?: string }): Record<string, string> => {
  if (secret_ref === undefined) return {}
  const values = secrets(secret_ref)?.env_vars
  if (values === undefined) throw new SessionLost('secret_missing')
  return values as Record<string, string>
}

/** Repeats the steps since the newest reset, and checks that the environment shows what the log has recorded. */
const refold = async ({ log, secrets }: Deps, stream: string, instance: Instance): Promise<void> => {
  type Reset = { seed: number; options: OpenObject; now: number }
  let reset: Reset | undefined
  let before = 0
  let steps: EnvSessionEventData<'EnvStepCompleted'>[] = []
  let seen: unknown
  for await (const page of log.readStream(stream)) {
    for (const { type, data } of page.map(sessionEvents.read)) {
      if (type === 'EnvSessionCreated' || type === 'EnvSessionReset') {
        const { seed, now, observation, steps_before } = data
        reset = { seed, now, options: type === 'EnvSessionReset' ? data.options : {} }
        before = steps_before ?? 0
        steps = []
        seen = observation
      }
      if (type === 'EnvStepCompleted') steps.push(data)
    }
  }
  if (reset === undefined) throw new SessionLost('the log does not hold the creation of this session')
  const mismatch = (where: string) =>
    new SessionLost(
      `the server repeated the steps of the session, and the environment showed something else at ${where}`,
    )
  const first = await instance.reset(reset)
  if (!isSameJson(first.observation, seen)) throw mismatch('its reset')
  let { state: here } = first
  for (const done of steps) {
    const { step, tool_name, tool_args, now, observation, state, stopped } = done
    // A stopped step that changed nothing is left out. Any other step is taken again: it must show the same observation
    // as before, or lead to the same state if it was stopped.
    if (stopped === true && isSameJson(state, here)) continue
    const drawn = { seed: reset.seed, number: step - before, now }
    const given = { tool: tool_name, args: tool_args, ...drawn, env_vars: valuesOf(secrets, done) }
    const answer = await instance.step(given, { emit() {}, signal: new AbortController().signal })
    const [shown, was] = stopped === true ? [answer.state, state] : [answer.observation, observation]
    if (!isSameJson(shown, was)) throw mismatch(`step ${step}`)
    here = answer.state
  }
}

/**
 * Rebuilds the instance of a session as the log describes it. Rejects with SessionLost when that is impossible, and
 * with EnvNotFound when the environment is unavailable for now.
 */
export const bringBack = async (deps: Deps, stream: string, view: SessionView): Promise<Instance> => {
  const { environments, folders, placeOf, secrets } = deps
  const { created } = view
  if (created === undefined) throw new SessionLost('the session was never created')
  const { source, recovery, kwargs } = created
  if (recovery === 'none') throw new SessionLost('an environment of this kind does not come back')
  const found = await environments.resolve(undefined, source.name)
  // The operator can make the environment available again, so the session is not lost.
  if ('refused' in found && found.refused === 'unavailable') {
    throw new Refusal('EnvNotFound', undefined, found.message)
  }
  if (!('source' in found)) throw new SessionLost(`the environment ${source.name} does not exist any more`)
  if (found.source.digest !== source.digest) throw new SessionLost(`code changed: ${source.name}`)
  const state = view.snapshot === undefined ? undefined : await folders.kept(created, view.snapshot)
  if (recovery === 'snapshot' && state === undefined)
    throw new SessionLost('the state of the session was not kept, or the kept state is missing or damaged')
  const given = { kwargs, env_vars: valuesOf(secrets, created), ...placeOf(created) }
  const instance = await environments.open(found.source, given, created.user_id).catch(error => {
    // A failed system call, such as on a full disk, may succeed later, so the session is not lost.
    throw error.syscall === undefined
      ? new SessionLost(`the session does not come back: ${error.message}`)
      : error
  })
  try {
    if (recovery === 'snapshot') await instance.restore(state)
    else await refold(deps, stream, instance)
    return instance
  } catch (error) {
    await instance.close()
    if (error instanceof EnvironmentGone || error instanceof SessionLost) throw error
    throw new SessionLost(`the session does not come back: ${(error as Error).message}`)
  }
}
