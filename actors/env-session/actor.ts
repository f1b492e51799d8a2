// An environment session as an actor. A request is a command of a caller, for example to take a step. A turn decides a
// command and appends its events. The actor keeps an accepted request in memory and carries it out after the turn; the
// outcome comes back as a command. Meanwhile the other requests wait in the mailbox, so that the session takes steps
// one by one, in the order in which the callers asked for them.

import { sessionChart, sessionMoveOf } from '../../src/contract/charts/env-session-chart.ts'
import type {
  Outcome,
  Repeats,
  SessionCommand,
  SessionRequest,
} from '../../src/contract/commands/env-session-commands.ts'
import { sessionEvents } from '../../src/contract/decoders/env-session.ts'
import { type EnvSessionEvent, envSessionEventVersion } from '../../src/contract/events/env-session-events.ts'
import type { Clock } from '../../src/contract/ports.ts'
import { Refusal } from '../../src/contract/refusals.ts'
import { emptySession, evolveSession, type SessionView } from '../../src/history/env-session.ts'
import type { Decision, Kind } from '../runtime/kind.ts'
import type { Folded } from '../runtime/logic.ts'
import { mustFollow } from '../runtime/must-follow.ts'
import type { Callers } from './callers.ts'
import { check } from './check.ts'
import { decideOutcome, settleStep } from './decide.ts'
import { carryOut, type Running } from './effects.ts'
import type { Instances } from './instances.ts'

export type SessionActorDeps = {
  clock: Clock
  instances: Instances
  callers: Callers
  putSecrets: (ref: string, values: Record<string, unknown>) => void
  forgetSecrets: (ref: string) => void
}

const isStep = (request: SessionRequest | undefined): boolean => request?.type === 'TakeStep'

/** The first stage of an accepted request. */
const begun = (request: SessionRequest, { created }: SessionView, now: number): Running => {
  // With `refold` the author of an environment declares that its actions may be repeated. No other setting says so.
  const isRepeatable = created?.recovery === 'refold'
  return { request, now, stage: request.type === 'TakeStep' && !isRepeatable ? 'prepare' : 'act' }
}

/** The principal, owner, session and cause that are stored with the events of a command. */
const envelopeOf = ({ created }: SessionView, command: SessionCommand) => {
  const asked = command.type === 'ReportOutcome' ? command.request : command
  const { principal, causation } = asked
  const { user_id, session_id } =
    asked.type === 'CreateSession' ? asked.session : (created ?? { user_id: '', session_id: '' })
  return { principal, owner: user_id, session_id, correlation_id: session_id, causation_id: causation }
}

type Own = { stream: string; view: SessionView; ask: (command: SessionCommand) => Promise<SessionView> }
/** Carries out a request, sends its outcome to the actor, and answers the caller. Never rejects. */
const carryOutAndReport = async (
  { instances, callers, putSecrets }: SessionActorDeps,
  { stream, view, ask }: Own,
  work: Running,
): Promise<void> => {
  const { request } = work
  const outcome = await carryOut({ stream, view, instances, putSecrets }, work, callers.of(request.no))
  if (outcome.of === 'failed') {
    const nothing: Outcome = { of: 'nothing', now: work.now }
    await ask({ type: 'ReportOutcome', request, outcome: nothing }).catch(() => {})
    callers.fail(request.no, outcome.error)
    return
  }
  try {
    const after = await ask({ type: 'ReportOutcome', request, outcome })
    if (outcome.of !== 'ready') callers.answer(request.no, after)
  } catch (error) {
    callers.fail(request.no, error)
  }
}

export const foldedSession: Folded<SessionView> = {
  chart: sessionChart,
  empty: emptySession,
  evolve: (view, event) => evolveSession(view, sessionEvents.read(event)),
  placeOf: view => view.state,
}

/** What a decision knows: the time, the request that is being carried out, and what the caller says about repeats. */
export type At = { now: number; running: SessionRequest | undefined; repeats: Repeats | undefined }

const eventsOf = (view: SessionView, command: SessionCommand, at: At): EnvSessionEvent[] => {
  if (command.type === 'ReportOutcome') return decideOutcome(view, command.request, command.outcome)
  const isSettled = check(view, command, at.repeats) === 'nothing'
  // A request is carried out after its turn. Its outcome comes back with the events.
  if (command.type !== 'SettleStep') return []
  return isSettled || isStep(at.running) ? [] : settleStep(view, at.now)
}

const decide = (view: SessionView, command: SessionCommand, at: At): Decision => {
  const events = eventsOf(view, command, at)
  mustFollow(view.state, events, sessionMoveOf)
  return {
    events: events.map(({ type, data }) => ({ type, schema_version: envSessionEventVersion, data })),
    made: [],
  }
}

export const envSessionKind = (deps: SessionActorDeps): Kind<SessionView, SessionCommand, At> => ({
  ...foldedSession,
  decide,
  envelope: (view, command) => envelopeOf(view, command),
  effects(stream, view, { ask }) {
    const { clock, instances, callers, forgetSecrets } = deps
    /** The request that is being carried out, and the newest stage of it that was started. Both are only in memory. */
    let running: Running | undefined
    let started: Running | undefined
    /** The revision at which the files of the ended session were last removed; -1: never. */
    let clearedAt = -1
    let isAway = false

    const repeatsOf = (command: SessionCommand) =>
      'no' in command ? callers.of(command.no).repeats : undefined

    return {
      /**
       * While one request is carried out, the others wait. `SettleStep` does not wait for a running step: that step was
       * not cut off, so there is nothing to settle.
       */
      isReady: ({ type }) =>
        running === undefined ||
        type === 'ReportOutcome' ||
        (type === 'SettleStep' && isStep(running.request)),
      first(command) {
        if (command.type === 'ReportOutcome' && running?.request.no !== command.request.no)
          throw new Error('the actor left memory')
        return command.type === 'TakeStep' && view.open !== undefined
          ? { type: 'SettleStep', ...view.openBy }
          : undefined
      },
      at: command => ({ now: clock.now(), running: running?.request, repeats: repeatsOf(command) }),
      stored: ({ header }) => instances.moved(stream, header.revision, view.isUnkept),
      remember(command) {
        if (command.type === 'SettleStep') return
        if (command.type === 'ReportOutcome') {
          const { request, outcome } = command
          if (outcome.of === 'seen') view.observed = outcome.state ?? view.observed
          running = outcome.of === 'ready' ? { request, now: clock.now(), stage: 'act' } : undefined
        } else if (check(view, command, repeatsOf(command)) === 'nothing') callers.answer(command.no, view)
        else running = begun(command, view, clock.now())
        if (isAway && running !== undefined) callers.fail(running.request.no, new Refusal('ShuttingDown'))
      },
      reconcile() {
        if (running !== undefined && running !== started) {
          started = running
          void carryOutAndReport(deps, { stream, view, ask }, running)
        }
        if (view.state === 'active' || view.created === undefined || clearedAt === view.revision) return
        // The session's files and secrets are removed only after the log says that the session has ended.
        clearedAt = view.revision
        instances.remove(stream, view.created)
        for (const ref of view.secretRefs) forgetSecrets(ref)
      },
      rest: () => (running !== undefined ? 'busy' : view.state === 'active' ? 'idle' : 'ended'),
      stop() {
        isAway = true
        instances.release(stream)
      },
    }
  },
})
