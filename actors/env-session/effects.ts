// Carries out an accepted request after the turn that accepted it. The outcome goes back to the actor as a command.
import type {
  Outcome,
  SessionRequest,
  StepRequest,
} from '../../src/contract/commands/env-session-commands.ts'
import { AuthorsError, EnvironmentGone, type Instance } from '../../src/contract/environment.ts'
import { stepSecretRef } from '../../src/contract/events/env-session-events.ts'
import { Refusal } from '../../src/contract/refusals.ts'
import { isFull, StorageFailure } from '../../src/contract/stored.ts'
import type { SessionView } from '../../src/history/env-session.ts'
import { awayFor } from './bring-back.ts'
import type { Caller } from './callers.ts'
import type { Instances } from './instances.ts'
import { cameBackOlder, keepState, keepStep } from './keeping.ts'
import { type OwnedSession, SessionLost } from './ports.ts'

/** A request that is being carried out. It is only in memory, so a crash loses it. */
export type Running = {
  request: SessionRequest
  /** The Unix time, in milliseconds, at which the request began or the intent of its step was stored. */
  now: number
  /** A step that may not be repeated begins with `prepare`: its intent is stored before the step is taken. */
  stage: 'prepare' | 'act'
}

type Deps = {
  stream: string
  /** The view does not change while a request is carried out. */
  view: SessionView
  instances: Instances
  putSecrets: (ref: string, values: Record<string, unknown>) => void
}
type Failed = { of: 'failed'; error: unknown }

const notBegun = 'the step was canceled before it began'

/**
 * Turns an error of the environment's code into an AuthorsError with the author's message. The loss of the instance and
 * failed system calls, such as on a full disk, are passed on as they are.
 */
const authors = <T>(work: Promise<T>): Promise<T> =>
  work.catch(error => {
    const isTheirs = !(error instanceof EnvironmentGone) && error.syscall === undefined
    throw isTheirs ? new AuthorsError(error.message) : error
  })
const ownerOf = ({ created }: SessionView): OwnedSession => created ?? { session_id: '', user_id: '' }
const signalOf = ({ signal }: Caller): AbortSignal => signal ?? new AbortController().signal

const kept = ({ instances, view }: Deps, instance: Instance, session: OwnedSession, step: number) =>
  keepState(instances, instance, session, { step, before: view.snapshot })

type Begun = { seed: number; options: Record<string, unknown>; now: number }
const begin = async (
  deps: Deps,
  instance: Instance,
  session: OwnedSession,
  begun: Begun,
): Promise<Outcome> => {
  const answer = await authors(instance.reset(begun))
  const { snapshot } = await kept(deps, instance, session, deps.view.step)
  const { recovery, showsObservation } = instance
  const made = { answer, recovery, showsObservation }
  return { of: 'reset', now: begun.now, ...made, ...(snapshot === undefined ? {} : { snapshot }) }
}

/** Stores the values of a step's own variables if a restart may repeat the step; returns their reference. */
const putVariables = (deps: Deps, instance: Instance, { envVars, effectId }: StepRequest) => {
  if (instance.recovery !== 'refold' || envVars === undefined) return {}
  const secretRef = stepSecretRef(deps.stream, effectId)
  deps.putSecrets(secretRef, { env_vars: envVars })
  return { secretRef }
}

const prepareStep = async (
  { stream, view, instances }: Deps,
  now: number,
  caller: Caller,
): Promise<Outcome> => {
  if (signalOf(caller).aborted) throw new Error(notBegun)
  await instances.look(stream, view) // if the environment cannot be brought back, the step has not begun
  return { of: 'ready', now }
}

const takeStep = async (deps: Deps, step: StepRequest, now: number, caller: Caller): Promise<Outcome> => {
  const { stream, view, instances } = deps
  const signal = signalOf(caller)
  if (signal.aborted && view.open === undefined) throw new Error(notBegun)
  const instance = await instances.of(stream, view)
  const number = view.step + 1
  await caller.began?.(number)
  const secret = putVariables(deps, instance, step)
  const place = { seed: view.seed, number: number - view.stepsBefore, now }
  const given = { tool: step.toolName, args: step.toolArgs, ...place, env_vars: step.envVars }
  const emit = (text: string) => caller.emit?.(text)
  const answer = await instance.step(given, { emit, signal }).catch(error => {
    throw error instanceof EnvironmentGone ? Object.assign(error, { during: 'step' }) : error
  })
  const stopped = answer.stopped === true || (answer.status === 'incomplete' && signal.aborted)
  const older = instances.isOlder(stream) ? [cameBackOlder(view)] : []
  const { snapshot, ...added } = await keepStep(view, answer, () =>
    kept(deps, instance, ownerOf(view), number),
  )
  const error = [...older, ...(added.error === undefined ? [] : [added.error])].join('; ')
  return {
    of: 'step',
    now,
    answer: { ...answer, ...added, ...(error === '' ? {} : { error }) },
    stopped,
    ...secret,
    ...(snapshot === undefined ? {} : { snapshot }),
  }
}

const run = async (deps: Deps, { request, now, stage }: Running, caller: Caller): Promise<Outcome> => {
  const { stream, view, instances } = deps
  switch (request.type) {
    case 'CreateSession': {
      const { source, values, seed } = request
      await caller.began?.(0)
      const given = { kwargs: request.session.kwargs, env_vars: values }
      const instance = await authors(instances.open(stream, request.session, source, given))
      return begin(deps, instance, request.session, { seed, options: {}, now })
    }
    case 'CloseSession':
    case 'DeleteSession':
      await instances.drop(stream)
      return { of: 'closed', now }
    case 'ObserveSession': {
      const older = await instances.look(stream, view)
      return { of: 'seen', now, ...(older === undefined ? {} : { state: older.state }) }
    }
    case 'ResetSession': {
      const { seed, options } = request
      const instance = await instances.of(stream, view)
      await caller.began?.(0)
      return begin(deps, instance, ownerOf(view), { seed, options, now })
    }
    case 'TakeStep':
      return stage === 'prepare' ? prepareStep(deps, now, caller) : takeStep(deps, request.step, now, caller)
  }
}

/**
 * The outcome of a failure. The session ends if it can never come back, and if a step has ended its instance. Otherwise
 * only the request fails.
 */
const afterFailure = async (
  { stream, view, instances }: Deps,
  { request, now }: Running,
  error: Error,
): Promise<Outcome | Failed> => {
  // The server is stopping and has ended the instance itself.
  if (instances.isStopped()) return { of: 'failed', error: new Refusal('ShuttingDown') }
  if (error instanceof AuthorsError) instances.still(stream, view.revision)
  if (request.type === 'CreateSession') {
    instances.remove(stream, request.session) // no session exists yet that could be lost
    await instances.removed(stream)
  }
  if (isFull(error)) return { of: 'failed', error: new StorageFailure('the disk is full') }
  const isGone = error instanceof EnvironmentGone
  if (!isGone && !(error instanceof SessionLost)) return { of: 'failed', error }
  if (request.type === 'CreateSession') return { of: 'failed', error }
  await instances.drop(stream)
  const { during } = error as { during?: 'step' }
  if (isGone && during === undefined && view.created?.recovery !== 'none')
    return { of: 'failed', error: awayFor(ownerOf(view).session_id, error.message) }
  return { of: 'loss', now, reason: error.message, ...(during === undefined ? {} : { during }) }
}

/** Carries out one stage of a request. Never rejects. */
export const carryOut = async (deps: Deps, running: Running, caller: Caller): Promise<Outcome | Failed> => {
  try {
    return await run(deps, running, caller)
  } catch (error) {
    return afterFailure(deps, running, error as Error).catch(error => ({ of: 'failed', error }))
  }
}
