// An environment session as an actor. A request is a command of a caller, for example to take a step. A turn decides a
// command and appends its events. The actor keeps an accepted request in memory and carries it out after the turn; the
// outcome comes back as a command. Meanwhile the other requests wait in the mailbox, so that the session takes steps
// one by one, in the order in which the callers asked for them.
import { sessionEvents } from '../../src/contract/decoders/env-session.ts'
import { sessionMoveOf } from '../../src/contract/env-session-chart.ts'
import type { Outcome, SessionCommand, SessionRequest } from '../../src/contract/env-session-commands.ts'
import { type EnvSessionEvent, envSessionEventVersion } from '../../src/contract/env-session-events.ts'
import type { Clock } from '../../src/contract/ports.ts'
import { Refusal } from '../../src/contract/refusals.ts'
import { emptySession, evolveSession, type SessionView } from '../../src/history/env-session.ts'
import type { Kind } from '../runtime/kind.ts'
import type { Callers } from './callers.ts'
import { check } from './check.ts'
import { decideOutcome, settleStep } from './decide.ts'
import { carryOut, type Running } from './effects.ts'
import type { Instances } from './instances.ts'
import { liveSession } from './live.ts'

export type SessionActorDeps = {
  clock: Clock
  instances: Instances
  callers: Callers
  keepSecrets: (ref: string, values: Record<string, unknown>) => void
  forgetSecrets: (ref: string) => void
}

/** Throws if the chart does not allow one of these events, which is a bug of the server. Nothing is stored then. */
const judge = ({ state }: SessionView, events: EnvSessionEvent[]): void => {
  let at = state
  for (const { type } of events) {
    const next = sessionMoveOf(at, type)
    if (next === undefined) {
      throw new Error(
        `a bug of the server: it decided ${type} in the state ${at}, where the chart forbids it`,
      )
    }
    at = next
  }
}

const isStep = (request: SessionRequest | undefined): boolean => request?.type === 'TakeStep'

/** The first stage of an accepted request. */
const begun = (request: SessionRequest, { created }: SessionView, now: number): Running => {
  // With `refold` the author of an environment declares that its actions may be repeated. No other setting says so.
  const isRepeatable = created?.recovery === 'refold'
  return { request, now, stage: request.type === 'TakeStep' && !isRepeatable ? 'prepare' : 'act' }
}

/** The principal, owner, session and cause that are stored with the events of a command. */
const envelopeOf = (command: SessionCommand, { created }: SessionView) => {
  const asked = command.type === 'ReportOutcome' ? command.request : command
  const { principal, causation } = asked
  const { user_id, session_id } =
    asked.type === 'CreateSession' ? asked.session : (created ?? { user_id: '', session_id: '' })
  return { principal, owner: user_id, session_id, correlation_id: session_id, causation_id: causation }
}

type Own = { stream: string; view: SessionView; ask: (command: SessionCommand) => Promise<SessionView> }
/** Carries out a request, sends its outcome to the actor, and answers the caller. Never rejects. */
const carryOutAndReport = async (
  { instances, callers, keepSecrets }: SessionActorDeps,
  { stream, view, ask }: Own,
  work: Running,
): Promise<void> => {
  const { request } = work
  const outcome = await carryOut({ stream, view, instances, keepSecrets }, work, callers.of(request.no))
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

export const envSessionKind =
  (deps: SessionActorDeps): Kind<SessionView, SessionCommand> =>
  (stream, { ask }) => {
    const { clock, instances, callers, forgetSecrets } = deps
    const view = emptySession()
    /** The request that is being carried out, and the newest stage of it that was started. Both are only in memory. */
    let running: Running | undefined
    let started: Running | undefined
    /** The revision at which the files of the ended session were last removed; -1: never. */
    let clearedAt = -1
    let isAway = false

    const checked = (request: SessionRequest) => check(request, view, callers.of(request.no).repeats)

    const eventsOf = (command: SessionCommand): EnvSessionEvent[] => {
      if (command.type === 'SettleStep') {
        return isStep(running?.request) || check(command, view) === 'nothing'
          ? []
          : settleStep(view, clock.now())
      }
      if (command.type === 'ReportOutcome') {
        if (running?.request.no !== command.request.no) throw new Error('the actor left memory')
        return decideOutcome(command.request, view, command.outcome)
      }
      checked(command)
      return []
    }

    return {
      view,
      run: inspect => liveSession.run(stream, { at: view.state }, inspect),
      evolve: event => evolveSession(view, sessionEvents.read(event)),
      stored: ({ header }) => instances.moved(stream, header.revision, view.isUnkept),
      /**
       * While one request is carried out, the others wait. `SettleStep` does not wait for a running step: that step was
       * not cut off, so there is nothing to settle.
       */
      isReady: ({ type }) =>
        running === undefined ||
        type === 'ReportOutcome' ||
        (type === 'SettleStep' && isStep(running.request)),
      first: ({ type }) =>
        type === 'TakeStep' && view.open !== undefined ? { type: 'SettleStep', ...view.openBy } : undefined,
      decide(command) {
        const events = eventsOf(command)
        judge(view, events)
        return {
          events: events.map(({ type, data }) => ({ type, schema_version: envSessionEventVersion, data })),
          made: [],
        }
      },
      remember(command) {
        if (command.type === 'SettleStep') return
        if (command.type === 'ReportOutcome') {
          const { request, outcome } = command
          if (outcome.of === 'seen') view.observed = outcome.state ?? view.observed
          running = outcome.of === 'ready' ? { request, now: clock.now(), stage: 'act' } : undefined
        } else if (checked(command) === 'nothing') callers.answer(command.no, view)
        else running = begun(command, view, clock.now())
        if (isAway && running !== undefined) callers.fail(running.request.no, new Refusal('ShuttingDown'))
      },
      envelope: command => envelopeOf(command, view),
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
  }
