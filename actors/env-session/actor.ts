// An environment session as an actor: what is asked of it is checked, done outside, and then stored as what came of it.
// A turn waits for its environment, so the steps of a session are taken one by one in the order in which they came.
import { sessionEvents } from '../../src/contract/decoders/env-session.ts'
import type { SessionCommand } from '../../src/contract/env-session-commands.ts'
import {
  type EnvSessionEvent,
  envSessionEventVersion,
  stepSecretRef,
} from '../../src/contract/env-session-events.ts'
import { AuthorsError, EnvironmentGone, type Instance } from '../../src/contract/environment.ts'
import type { Clock } from '../../src/contract/ports.ts'
import { Refusal } from '../../src/contract/refusals.ts'
import { StorageFailure } from '../../src/contract/stored.ts'
import { emptySession, evolveSession, type SessionView } from '../../src/history/env-session.ts'
import type { Behaviour, Kind } from '../runtime/runtime.ts'
import { check } from './check.ts'
import { decideSession, type Outcome } from './decide.ts'
import { type Instances, type OwnedSession, SessionLost } from './instances.ts'
import { cameBackOlder, keepState, keepStep } from './keeping.ts'
import { sessionMoveOf } from './machine.ts'

export type SessionParts = {
  clock: Clock
  instances: Instances
  keepSecrets: (ref: string, values: Record<string, unknown>) => void
  forgetSecrets: (ref: string) => void
}

/** The machine's word on every fact before it is stored; one that it refuses is a bug of ours. */
const judge = ({ state }: SessionView, events: EnvSessionEvent[]): void => {
  let at = state
  for (const { type } of events) {
    const next = sessionMoveOf(at, type)
    if (next === undefined) throw new Error(`${type} was decided from ${at}, where it is no move`)
    at = next
  }
}

const notBegun = 'it was canceled before it began'

/** What is wrong with what the environment was given, in the words of its author; a disk that fails is ours. */
const authors = <T>(work: Promise<T>): Promise<T> =>
  work.catch(error => {
    const isTheirs = !(error instanceof EnvironmentGone) && error.syscall === undefined
    throw isTheirs ? new AuthorsError(error.message) : error
  })
const isFull = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')

export const envSessionKind =
  ({ clock, instances, keepSecrets, forgetSecrets }: SessionParts): Kind<SessionView, SessionCommand> =>
  stream => {
    const view = emptySession()
    let outcome: Outcome = { of: 'nothing', now: 0 }
    const own = (): OwnedSession => view.created ?? { session_id: '', user_id: '' }

    const kept = async (instance: Instance, session: OwnedSession, step: number) =>
      keepState(instances, instance, session, { step, before: view.snapshot })
    const keptReset = async (instance: Instance, session: OwnedSession) => {
      const { snapshot } = await kept(instance, session, view.step)
      return snapshot === undefined ? {} : { snapshot }
    }

    const run = async (command: SessionCommand, now: number): Promise<Outcome> => {
      switch (command.type) {
        case 'CreateSession': {
          const { wish, source, values, seed } = command
          const given = { kwargs: wish.kwargs, env_vars: values }
          await command.began()
          const instance = await authors(instances.open(stream, wish, source, given))
          const answer = await authors(instance.reset({ seed, options: {}, now }))
          const { recovery } = instance
          return { of: 'reset', now, answer, recovery, ...(await keptReset(instance, wish)) }
        }
        case 'CloseSession':
        case 'DeleteSession':
          await instances.drop(stream)
          return { of: 'closed', now }
        case 'ObserveSession':
          // An older state is the one that is there: the log tells of a newer one, which was not kept.
          view.observed = (await instances.look(stream, view))?.state ?? view.observed
          return { of: 'nothing', now }
        case 'IntendStep':
          if (command.step.signal.aborted) throw new Error(notBegun)
          await instances.look(stream, view) // a step whose environment cannot be had has not begun
          return { of: 'begun', now }
        case 'TellLostStep':
          return { of: 'begun', now }
        case 'ResetSession': {
          const { seed, options } = command
          const instance = await instances.of(stream, view)
          await command.began()
          const answer = await authors(instance.reset({ seed, options, now }))
          const { recovery } = instance
          return { of: 'reset', now, answer, recovery, ...(await keptReset(instance, own())) }
        }
        case 'TakeStep': {
          const { toolName: tool, toolArgs: args, envVars, effectId, emit, signal } = command.step
          if (signal.aborted && view.open === undefined) throw new Error(notBegun)
          const instance = await instances.of(stream, view)
          const number = view.step + 1
          command.step.began(number)
          const hasSecrets = instance.recovery === 'refold' && envVars !== undefined
          const secretRef = hasSecrets ? { secretRef: stepSecretRef(stream, effectId) } : {}
          if (hasSecrets) keepSecrets(stepSecretRef(stream, effectId), { env_vars: envVars })
          const seed = { seed: view.seed, number: number - view.stepsBefore }
          const given = { tool, args, ...seed, now, env_vars: envVars }
          const answer = await instance.step(given, { emit, signal }).catch(error => {
            if (error instanceof EnvironmentGone) throw Object.assign(error, { during: 'step' })
            throw error
          })
          const stopped = answer.stopped === true || (answer.status === 'incomplete' && signal.aborted)
          const older = instances.isOlder(stream) ? [cameBackOlder(view)] : []
          const { snapshot, ...added } = await keepStep(view, answer, () => kept(instance, own(), number))
          const said = [...older, ...(added.error === undefined ? [] : [added.error])].join('; ')
          return {
            of: 'step',
            now,
            answer: { ...answer, ...added, ...(said === '' ? {} : { error: said }) },
            stopped,
            ...secretRef,
            ...(snapshot === undefined ? {} : { snapshot }),
          }
        }
      }
    }

    const behaviour: Behaviour<SessionView, SessionCommand> = {
      view,
      evolve(event) {
        evolveSession(view, sessionEvents.read(event))
        instances.moved(stream, event.header.revision, view.isUnkept)
      },
      async before(command) {
        const now = clock.now()
        outcome = { of: 'nothing', now }
        if (check(command, view) === 'nothing') return
        try {
          outcome = await run(command, now)
        } catch (error) {
          if (instances.isStopped()) throw new Refusal('ShuttingDown') // it was ended by us
          if (error instanceof AuthorsError) instances.still(stream, view.revision)
          const isOver = error instanceof EnvironmentGone || error instanceof SessionLost
          if (command.type === 'CreateSession') {
            instances.leave(stream, command.wish) // there is no session to lose
            await instances.left(stream)
          }
          if (isFull(error)) throw new StorageFailure('the disk is full')
          if (!isOver || command.type === 'CreateSession') throw error
          await instances.drop(stream)
          const during = (error as { during?: 'step' }).during
          outcome = { of: 'loss', now, reason: error.message, ...(during === undefined ? {} : { during }) }
        }
      },
      decide(command) {
        const events = decideSession(command, view, outcome)
        judge(view, events)
        return {
          events: events.map(({ type, data }) => ({ type, schema_version: envSessionEventVersion, data })),
          made: [],
        }
      },
      envelope: command => {
        const { principal, causation } = command
        const { user_id, session_id } = command.type === 'CreateSession' ? command.wish : own()
        return { principal, owner: user_id, session_id, correlation_id: session_id, causation_id: causation }
      },
      reconcile() {
        if (view.state === 'active' || view.created === undefined) return
        // What it has on the disk goes when the log says that it has ended.
        instances.leave(stream, view.created)
        for (const ref of view.secretRefs) forgetSecrets(ref)
      },
      rest: () => (view.state === 'active' ? 'idle' : 'ended'),
      stop: () => instances.letGo(stream),
    }
    return behaviour
  }
