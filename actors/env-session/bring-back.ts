// Brings back the instance of a session: from its kept state, or by repeating the steps in the log. A session is lost
// only if it can never come back. Everything else may pass, or the operator can repair it: a folder that is not mounted,
// a missing library, a database that is away. Then the request is refused, and the next one tries again.

import { sessionEvents } from '../../src/contract/decoders/env-session.ts'
import { damagedState, type Instance, type OpenObject } from '../../src/contract/environment.ts'
import type { EnvSessionEventData, Snapshot } from '../../src/contract/events/env-session-events.ts'
import { isSameJson } from '../../src/contract/json/canonical.ts'
import { Refusal } from '../../src/contract/refusals.ts'
import { isFull, type Log } from '../../src/contract/stored.ts'
import { withoutValues } from '../../src/contract/variables.ts'
import type { SessionView } from '../../src/history/env-session.ts'
import {
  type Environments,
  type Given,
  type OwnedSession,
  type SessionFolders,
  SessionLost,
  type Troubles,
} from './ports.ts'

/** Finds the secret values of a reference, such as a session's `env_vars`; undefined when they are gone. */
type Secrets = (ref: string) => Record<string, unknown> | undefined
type Deps = {
  environments: Environments
  folders: SessionFolders
  log: Log
  secrets: Secrets
  placeOf: (session: OwnedSession) => Pick<Given, 'dir' | 'fileBytes'>
  troubles: Troubles
  isStopped: () => boolean
}

/** The refusal of a request to a session that does not come back for now. */
export const awayFor = (session_id: string, reason: string): Refusal =>
  new Refusal(
    'SessionAway',
    { session_id, reason },
    `the session cannot be used at the moment, but it is not lost: ${reason}`,
  )

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
    // What failed this time may succeed the next time.
    if (answer.error !== undefined && done.info.error === undefined)
      throw new Error(`step ${step} fails when it is repeated: ${answer.error}`)
    const [shown, was] = stopped === true ? [answer.state, state] : [answer.observation, observation]
    if (!isSameJson(shown, was)) throw mismatch(`step ${step}`)
    here = answer.state
  }
}

const restored = (instance: Instance, state: unknown): Promise<void> =>
  instance.restore(state).catch(error => {
    throw error.message.startsWith(damagedState) ? new SessionLost(error.message) : error
  })

const keptOf = (folders: SessionFolders, session: OwnedSession, snapshot: Snapshot): Promise<unknown> =>
  folders.kept(session, snapshot).catch(error => {
    throw error.syscall === undefined ? error : new Error(`its kept state cannot be read: ${error.code}`)
  })

const whatToDo = 'Put the earlier file back, or close the session and create it again.'

/** Rejects with SessionLost, with a Refusal, or with any other error if the session does not come back now. */
const rebuild = async (deps: Deps, stream: string, view: SessionView): Promise<Instance> => {
  const { environments, folders, placeOf, secrets } = deps
  const { created, snapshot } = view
  if (created === undefined) throw new SessionLost('the session was never created')
  const { source, recovery, kwargs, session_id } = created
  if (recovery === 'none') throw new SessionLost('an environment of this kind does not come back')
  if (recovery === 'snapshot' && snapshot === undefined)
    throw new SessionLost('the state of the session was never kept')
  const given = { kwargs, env_vars: valuesOf(secrets, created), ...placeOf(created) }
  const found = await environments.resolve(undefined, source.name)
  if ('refused' in found && found.refused === 'unknown')
    throw new Error(`${found.message}: ENV_PATH may not be set or not mounted`)
  if (!('source' in found)) throw new Error(found.message)
  if (found.source.digest !== source.digest) {
    const reason = `code changed: ${source.name}`
    throw new Refusal('Conflict', { session_id, reason }, reason, { hint: whatToDo })
  }
  const state = snapshot === undefined ? undefined : await keptOf(folders, created, snapshot)
  const instance = await environments.open(found.source, given, created.user_id)
  try {
    if (recovery === 'snapshot') await restored(instance, state)
    else await refold(deps, stream, instance)
    return instance
  } catch (error) {
    await instance.close()
    throw error
  }
}

/**
 * The words of an error for callers and operators. The error of a system call names files of the server, so they get its
 * code. The error of an environment may quote the values of its variables.
 */
const reasonOf = ({ message, code, syscall }: NodeJS.ErrnoException, values: string[]): string =>
  syscall === undefined ? withoutValues(message, values) : `${syscall}: ${code}`

/** The values of the session's variables, as far as they are there. */
const valuesIn = ({ secrets }: Deps, { created }: SessionView): string[] => {
  try {
    return created === undefined ? [] : Object.values(valuesOf(secrets, created))
  } catch {
    return []
  }
}

/**
 * Rebuilds the instance of a session as the log describes it. Rejects with SessionLost if that can never succeed.
 * Rejects with the refusal SessionAway, or with Conflict if the code has changed, if it may succeed later.
 */
export const bringBack = async (deps: Deps, stream: string, view: SessionView): Promise<Instance> => {
  const session_id = view.created?.session_id ?? stream
  try {
    const instance = await rebuild(deps, stream, view)
    deps.troubles.over(session_id, { session_id })
    return instance
  } catch (error) {
    if (error instanceof SessionLost || isFull(error) || deps.isStopped()) throw error
    const reason = reasonOf(error as Error, valuesIn(deps, view))
    const environment = view.created?.source.name
    deps.troubles.met(session_id, reason, { session_id, environment })
    throw error instanceof Refusal ? error : awayFor(session_id, reason)
  }
}
