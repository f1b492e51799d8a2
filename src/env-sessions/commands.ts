// The door to environment sessions: names the stream, asks its actor, and says what came of it.

import type { Runtime } from '../../actors/runtime/runtime.ts'
import type { RequestKeys } from '../contract/commands.ts'
import { sessionEvents } from '../contract/decoders/env-session.ts'
import type { Repeats, SessionCommand, StepWish } from '../contract/env-session-commands.ts'
import { envSessionStream } from '../contract/env-session-events.ts'
import {
  AuthorsError,
  EnvironmentGone,
  type EnvironmentSource,
  type OpenObject,
  type Recovery,
  StopStep,
} from '../contract/environment.ts'
import type { Clock, Ids } from '../contract/ports.ts'
import { Invalid, otherUser, type Problem, Refusal, unexpectedStep } from '../contract/refusals.ts'
import { type Log, StorageFailure } from '../contract/stored.ts'
import { callerOf, ownerOf, type Principal } from '../contract/token-events.ts'
import { OutcomeUnknown } from '../contract/tools.ts'
import { asTexts, masked } from '../contract/variables.ts'
import type {
  CreateEnvBody,
  EnvStepAnswer,
  ResetEnvBody,
  StepEnvBody,
  ToolDefinition,
} from '../contract/wire.ts'
import type { DiskUse } from '../fairness/disk/disk-use.ts'
import type { Quotas } from '../fairness/quotas.ts'
import {
  emptySession,
  evolveSession,
  isKeyTaken,
  nameOfKey,
  type SessionView,
  stepAnswerOf,
  takenAt,
} from '../history/env-session.ts'
import type { SchemaChecker } from '../json-schema/checker.ts'
import { digestOfBody } from '../platform/digest.ts'
import type { Secrets } from '../platform/secrets.ts'
import type { SessionQueries, SessionRow } from './queries.ts'
import { createSessionRetries, keysOf, type Retry } from './retries.ts'

/** Steps of one session that may wait. */
const mostWaiting = 64
const tooManySteps = (id: string): Refusal =>
  new Refusal('Busy', { quota: 'steps', limit: mostWaiting, session_id: id })
const largestSeed = 2 ** 32

export type Resolved =
  | { source: EnvironmentSource; parameters: OpenObject }
  | { refused: 'unknown' | 'forbidden' | 'broken' | 'unavailable'; message: string; kinds?: string[] }

type Parts = {
  runtime: Runtime<SessionView, SessionCommand>
  queries: SessionQueries
  environments: { resolve(envId?: string, classPath?: string): Promise<Resolved> }
  checker: SchemaChecker
  log: Log
  secrets: Secrets
  quotas: Pick<Quotas, 'reserveSession'>
  disk: Pick<DiskUse, 'mustHaveRoom' | 'watch' | 'changed'>
  clock: Clock
  ids: Ids
  randomSeed: () => number
  /** Resolves when nothing is left of a session that has ended. */
  left: (stream: string) => Promise<void>
  /** Whether a task that has not ended names the session. */
  isNamed: (session: { id: string; userId: string }) => boolean
}
type Stop = (why: Refusal) => void
type Asked = { principal: Principal; requestId: string }
/** `revision`: where it has been done already. */
type Foreseen = { view: SessionView; revision: number | undefined }

/** More kinds than these are not named: `GET /v1/env` has them all. */
const mostNamed = 50
const unknownKind = (message: string, all: string[]): Refusal => {
  const kinds = all.toSorted().slice(0, mostNamed)
  const more = all.length > mostNamed ? ' and more, which GET /v1/env lists' : ''
  return new Refusal('EnvNotFound', { kinds }, `${message}; there are ${kinds.join(', ')}${more}`)
}

const always = () => true
const invalid = (loc: (string | number)[], msg: string, type = 'value_error') =>
  new Invalid([{ loc: ['body', ...loc], msg, type }])
const problemsAt = (loc: (string | number)[], problems: string[]): Problem[] =>
  problems.map(msg => ({ loc: ['body', ...loc], msg, type: 'value_error' }))

/** A create with a key names its session by it: asked again, it is the same one. */
const sessionIdFor = (principal: Principal, key: string | undefined): string | undefined =>
  key && `session-${digestOfBody([principal.id, key]).replace(/[^\w]/g, '').slice(0, 32)}`

export const createSessions = (parts: Parts) => {
  const { runtime, queries, environments, checker, log, secrets, quotas, disk, ids } = parts
  /** When a session was last looked at: no event tells. */
  const lookedAt = new Map<string, number>()
  /** Steps that run or wait, by session. */
  const under = new Map<string, Set<Stop>>()
  const waits = (id: string): number => under.get(id)?.size ?? 0
  /** What changes a session, one after another: a step that may not be repeated is announced and taken as one. */
  const chains = new Map<string, Promise<unknown>>()

  const by = ({ principal, requestId }: Asked) => ({ principal: principal.id, causation: requestId })
  const viewOf = (id: string): Promise<SessionView> => runtime.until(envSessionStream(id), always)
  const retries = createSessionRetries({ ...parts, viewOf, isSeen: id => lookedAt.has(id) })
  const lost = (view: SessionView) =>
    new Refusal('SessionNotFound', view.closeReason === undefined ? undefined : { reason: view.closeReason })

  /** Whose a session becomes. One that is there, or was, stays its user's, whoever creates it again. */
  const userOf = (principal: Principal, { user_id: named, session_id: id }: CreateEnvBody): string => {
    if (principal.userId !== undefined && named && named !== principal.userId) {
      throw otherUser(principal.userId, named)
    }
    const known = principal.userId === undefined && id ? queries.userOf(id) : undefined
    if (known !== undefined && named && named !== known) {
      throw new Refusal('Conflict', { session_id: id }, `the session "${id}" belongs to another user`)
    }
    return known ?? ownerOf(principal, named)
  }

  const resolved = async (principal: Principal, body: CreateEnvBody): Promise<EnvironmentSource> => {
    const kwargs = body.env_init_kwargs ?? {}
    const found = await environments.resolve(body.env_id ?? undefined, body.env_class_path ?? undefined)
    if ('refused' in found) {
      const { refused, message, kinds } = found
      if (kinds === undefined)
        throw new Refusal(refused === 'forbidden' ? 'Forbidden' : 'EnvNotFound', undefined, message)
      throw unknownKind(message, kinds)
    }
    const fits = await checker.check(found.parameters, kwargs, callerOf(principal))
    if (!fits.ok) throw new Invalid(problemsAt(['env_init_kwargs'], fits.problems))
    return found.source
  }

  /** Of a session that may be somebody else's: that one is not there. */
  const mustBeFree = (principal: Principal, id: string) => {
    const row = queries.rowById(id)
    if (row !== undefined) queries.visible(principal, id)
  }

  type Making = Retry & { began(): void }
  type Made = { sessionId: string; keys: RequestKeys; source: EnvironmentSource; began(): void }
  /** Makes a session, or finds the one that is there already. */
  const make = async (
    asked: Asked,
    body: CreateEnvBody,
    userId: string,
    wish: Made,
  ): Promise<SessionView> => {
    const vars = body.env_vars ?? {}
    const values = asTexts(vars)
    const ref = Object.keys(vars).length === 0 ? undefined : ids.next('sec_')
    if (ref !== undefined) secrets.put(ref, { env_vars: values })
    let release = () => {}
    const { sessionId, source, keys, began } = wish
    const command: SessionCommand = {
      type: 'CreateSession',
      wish: {
        session_id: sessionId,
        env_id: body.env_id ?? ids.next('env-'),
        user_id: userId,
        client_id: body.client_id ?? 'default',
        kwargs: body.env_init_kwargs ?? {},
        env_vars: masked(vars),
        ...(ref === undefined ? {} : { secret_ref: ref }),
      },
      source,
      values,
      seed: parts.randomSeed() % largestSeed,
      keys,
      async began() {
        release = quotas.reserveSession(sessionId, userId, asked.principal.userId !== undefined)
        await disk.mustHaveRoom(userId)
        began()
      },
      ...by(asked),
    }
    try {
      const view = await runtime.ask(envSessionStream(sessionId), command)
      if (ref !== undefined && view.created?.secret_ref !== ref) secrets.forget(ref)
      return view
    } catch (error) {
      if (ref !== undefined) secrets.forget(ref)
      if (error instanceof EnvironmentGone) throw invalid(['env_id'], error.message)
      if (error instanceof AuthorsError) throw invalid(['env_init_kwargs'], error.message)
      throw error
    } finally {
      release()
    }
  }

  const create = async (asked: Asked, body: CreateEnvBody, given: Making) => {
    const { principal } = asked
    const { idempotencyKey: key, began } = given
    const userId = userOf(principal, body)
    const source = await resolved(principal, body)
    const named = body.session_id ?? sessionIdFor(principal, key)
    if (body.session_id) mustBeFree(principal, body.session_id)
    const { env_vars: _, ...rest } = body
    const keys = keysOf('create', digestOfBody(rest), body, key)
    const answerOf = (view: SessionView) => {
      if (view.created === undefined) throw lost(view)
      const { session_id, env_id, state, tools, done } = view.created
      return { session_id, env_id, initial_state: state, tools, done }
    }
    const makeAs = async (id: string) => {
      const view = await make(asked, body, userId, { sessionId: id, keys, source, began })
      // A create that was asked again is answered as it was then.
      const revision =
        key === undefined ? undefined : view.byCreateKey.get(nameOfKey(principal.id, key))?.revision
      return answerOf(
        revision === undefined || revision === view.revision
          ? view
          : await foldTo(envSessionStream(id), revision),
      )
    }
    if (named !== undefined) return makeAs(named)
    const once = await retries.makeOnce({ ...given, principal, userId, keys }, async () => {
      const id = ids.next('session-')
      return { id, made: await makeAs(id) }
    })
    return 'made' in once ? once.made : answerOf(once.before)
  }

  /** A session that is active, and its view. */
  const active = async (principal: Principal, id: string): Promise<SessionView> => {
    const row = queries.visible(principal, id)
    const view = await viewOf(id)
    if (row.is_active === 0 || view.state !== 'active') throw lost(view)
    return view
  }

  const foldTo = async (stream: string, revision: number): Promise<SessionView> => {
    const view = emptySession()
    for await (const page of log.readStream(stream)) {
      for (const event of page)
        if (event.header.revision <= revision) evolveSession(view, sessionEvents.read(event))
    }
    return view
  }
  /** The answer that a step got, as it was given. */
  const answerAt = async (stream: string, view: SessionView, revision: number): Promise<EnvStepAnswer> => {
    const then = view.revision === revision ? view : await foldTo(stream, revision)
    if (then.created === undefined || then.newest === undefined) throw new Error('that was no step')
    return stepAnswerOf(then.created, then.newest, then.tools)
  }

  type Who = { principal: string; causation: string }
  const ask = (stream: string, step: StepWish, who: Who) =>
    runtime.ask(stream, { type: 'TakeStep', step, ...who })
  /** A step that is still open when nothing is under way was cut off: that is told before anything else. */
  const settle = async (stream: string, view: SessionView): Promise<SessionView> =>
    view.open === undefined ? view : runtime.ask(stream, { type: 'TellLostStep', ...view.openBy })
  const takeInTurn = async (id: string, step: StepWish, who: Who): Promise<SessionView> => {
    const stream = envSessionStream(id)
    const { created } = await settle(stream, await viewOf(id))
    // Only the author of a `refold` environment says that its actions may be repeated.
    if (created?.recovery !== 'refold') await runtime.ask(stream, { type: 'IntendStep', step, ...who })
    return ask(stream, step, who)
  }
  const inTurn = <T>(id: string, work: () => Promise<T>): Promise<T> => {
    const turn = (chains.get(id) ?? Promise.resolve()).then(work, work)
    chains.set(id, turn)
    const forget = () => {
      if (chains.get(id) === turn) chains.delete(id)
    }
    turn.then(forget, forget)
    return turn
  }
  /** The view, with every step in it told that was cut off. */
  const settled = async (id: string): Promise<SessionView> => {
    const view = await viewOf(id)
    const isCutOff = view.open !== undefined && !chains.has(id)
    return isCutOff ? inTurn(id, async () => settle(envSessionStream(id), await viewOf(id))) : view
  }

  /** A step that waits or runs, until `over`: it can be stopped by what ends it, or when its user's disk is full. */
  const watched = (id: string, step: StepWish) => {
    const controller = new AbortController()
    let refusal: Refusal | undefined
    const stop: Stop = why => {
      refusal = why
      controller.abort(new StopStep(`was stopped: ${why.message}`))
    }
    const own = under.get(id) ?? new Set()
    under.set(id, own.add(stop))
    let unwatch = () => {}
    return {
      step: { ...step, signal: AbortSignal.any([step.signal, controller.signal]) },
      watchDisk: ({ created }: SessionView) => {
        if (created !== undefined) unwatch = disk.watch(created.user_id, stop)
      },
      /** One that had not begun fails without a word of the environment. */
      worded: (error: unknown) => {
        throw error instanceof Refusal ? error : (refusal ?? error)
      },
      over() {
        unwatch()
        own.delete(stop)
        if (own.size === 0) under.delete(id)
      },
    }
  }
  /** Stops the step that runs, and those that wait behind it. */
  const stopSteps = (id: string, how: 'closed' | 'deleted' | 'reset'): void => {
    const why = `its session was ${how}`
    const refusal =
      how === 'reset'
        ? new Refusal('Conflict', { session_id: id }, why)
        : new Refusal('SessionNotFound', { reason: how }, why)
    for (const stop of under.get(id) ?? []) stop(refusal)
  }

  const take = async (id: string, asked: StepWish, who: Who) => {
    if (waits(id) > mostWaiting) throw tooManySteps(id)
    const { step, watchDisk, worded, over } = watched(id, asked)
    try {
      watchDisk(await viewOf(id))
      const view = await inTurn(id, () => takeInTurn(id, step, who)).catch(worded)
      const revision = takenAt(view, step, who.principal)
      if (revision === undefined) throw lost(view)
      return { answer: await answerAt(envSessionStream(id), view, revision), revision }
    } finally {
      over()
    }
  }

  const mustHaveRoom = async ({ created }: SessionView): Promise<void> => {
    if (created !== undefined) await disk.mustHaveRoom(created.user_id)
  }
  const mustFit = async ({ tools, created }: SessionView, name: string, args: OpenObject): Promise<void> => {
    const tool = tools.find(known => known.function.name === name)
    if (tool === undefined) throw invalid(['tool_name'], `There is no tool "${name}"`)
    const verdict = await checker.check(tool.function.parameters, args, created?.user_id)
    if (!verdict.ok) throw new Invalid(problemsAt(['tool_args'], verdict.problems))
  }

  type Wish = Pick<StepWish, 'effectId' | 'keys' | 'repeats'>
  /**
   * A step before its turn: where it has been taken already, whatever became of the session since; else it fits the
   * tools that there are now.
   */
  const foreseen = async ({ principal }: Asked, body: StepEnvBody, wish: Wish): Promise<Foreseen> => {
    const { session_id: id } = body
    queries.visible(principal, id)
    const view = await settled(id)
    const revision = takenAt(view, wish, principal.id)
    if (revision !== undefined) return { view, revision }
    mustBeNew(view, wish.keys, principal)
    if (view.state !== 'active') throw lost(view)
    if (!view.done) await mustHaveRoom(view)
    if (!view.done) await mustFit(view, body.tool_name, body.tool_args ?? {})
    return { view, revision }
  }
  const mustBeNew = (view: SessionView, keys: RequestKeys, { id }: Principal) => {
    if (isKeyTaken(view, keys, id)) throw new Refusal('Conflict', { idempotency_key: keys.idempotencyKey })
  }
  const stepWish = (body: StepEnvBody, key: string | undefined, repeats: Repeats | undefined): Wish => {
    const { env_vars: _, stream: __, request_id: ___, ...same } = body
    const keys = keysOf('step', digestOfBody(same), body, key)
    return { effectId: ids.next('call_'), keys, ...(repeats === undefined ? {} : { repeats }) }
  }
  const isUnkeyedRetry = ({ isRetry, idempotencyKey }: Pick<Retry, 'isRetry' | 'idempotencyKey'>): boolean =>
    isRetry && idempotencyKey === undefined

  const close = async (asked: Asked, id: string, reason: string): Promise<void> => {
    await inTurn(id, () => runtime.ask(envSessionStream(id), { type: 'CloseSession', reason, ...by(asked) }))
    await parts.left(envSessionStream(id))
  }

  const isIdle = (row: SessionRow, seconds: number): boolean => {
    const since = Math.max(row.accessed_at, lookedAt.get(row.id) ?? 0)
    const isOld = parts.clock.now() - since > seconds * 1000
    return isOld && !under.has(row.id) && !parts.isNamed({ id: row.id, userId: row.user_id })
  }

  return {
    create,

    async step(
      asked: Asked,
      body: StepEnvBody,
      given: Retry & Pick<StepWish, 'began' | 'emit' | 'signal'>,
    ): Promise<EnvStepAnswer> {
      const { session_id: id, tool_name: toolName, tool_args, env_vars, task_id, expected_step } = body
      const { began, emit, signal, delivery, idempotencyKey } = given
      const { principal } = asked
      const repeats = isUnkeyedRetry(given) ? retries.repeats(principal, id, delivery) : undefined
      const wish = stepWish(body, idempotencyKey, repeats)
      const { view, revision } = await foreseen(asked, body, wish)
      if (revision !== undefined) {
        retries.answered(principal, id, revision, delivery)
        return answerAt(envSessionStream(id), view, revision)
      }
      const step: StepWish = {
        ...wish,
        ...{ toolName, toolArgs: tool_args ?? {}, itemId: ids.next('tr_'), began, emit, signal },
        ...(env_vars && Object.keys(env_vars).length > 0 ? { envVars: asTexts(env_vars) } : {}),
        ...(task_id ? { taskId: task_id } : {}),
        ...(expected_step ? { expectedStep: expected_step } : {}),
      }
      const taken = await take(id, step, by(asked))
      retries.answered(principal, id, taken.revision, delivery)
      return taken.answer
    },
    /**
     * Refuses a step that cannot be taken, so that a stream need not begin. `isKnown`: it has been taken before; else
     * `next` is the number that it will have, if those before it are taken.
     */
    async mayStep(
      asked: Asked,
      body: StepEnvBody,
      retry: Pick<Retry, 'idempotencyKey' | 'isRetry'>,
    ): Promise<{ isKnown: boolean; next: number }> {
      const { session_id: id, expected_step: expected } = body
      const repeats = isUnkeyedRetry(retry) ? retries.mayRepeat(asked.principal, id) : undefined
      const { view, revision } = await foreseen(asked, body, stepWish(body, retry.idempotencyKey, repeats))
      const before = waits(id)
      const next = view.step + 1 + before
      if (revision !== undefined) return { isKnown: true, next }
      if (before > mostWaiting) throw tooManySteps(id)
      if (expected && (expected <= view.step || expected > next)) {
        throw unexpectedStep(expected, view.step)
      }
      if (view.done) throw new Refusal('SessionDone', { step: view.step })
      return { isKnown: false, next }
    },

    async reset(asked: Asked, body: ResetEnvBody, given: Retry & { began(): void }) {
      const { session_id: id, seed, options } = body
      const { principal } = asked
      const { delivery, began, idempotencyKey } = given
      const stream = envSessionStream(id)
      const keys = keysOf('reset', digestOfBody(['reset', body]), body, idempotencyKey)
      const repeats = isUnkeyedRetry(given) ? { repeats: retries.repeats(principal, id, delivery) } : {}
      const command: SessionCommand = {
        type: 'ResetSession',
        seed: seed ?? parts.randomSeed() % largestSeed,
        options: options ?? {},
        ...{ keys, began, ...repeats, ...by(asked) },
      }
      queries.visible(principal, id)
      const before = await settled(id)
      if (takenAt(before, command, principal.id) === undefined) {
        mustBeNew(before, keys, principal)
        await active(principal, id)
        stopSteps(id, 'reset')
      }
      const view = await inTurn(id, () => runtime.ask(stream, command)).catch(error => {
        if (error instanceof AuthorsError) throw invalid(['options'], error.message)
        throw error
      })
      const known = takenAt(view, command, principal.id)
      if (known === undefined && view.state !== 'active') throw lost(view)
      const revision = known ?? view.revision
      const { observation, tools, done } = revision === view.revision ? view : await foldTo(stream, revision)
      retries.answered(principal, id, revision, delivery)
      return { observation, tools, done }
    },

    async observe(asked: Asked, id: string) {
      await active(asked.principal, id)
      const view = await runtime.ask(envSessionStream(id), { type: 'ObserveSession', ...by(asked) })
      if (view.state !== 'active') throw lost(view)
      lookedAt.set(id, parts.clock.now())
      return { state: view.observed, tools: view.tools, done: view.done }
    },

    async close(asked: Asked, id: string): Promise<void> {
      const { user_id } = queries.visible(asked.principal, id)
      stopSteps(id, 'closed')
      await close(asked, id, 'closed')
      disk.changed(user_id)
      lookedAt.delete(id)
    },

    async remove(asked: Asked, id: string): Promise<void> {
      const { user_id } = queries.visible(asked.principal, id)
      stopSteps(id, 'deleted')
      await inTurn(id, () => runtime.ask(envSessionStream(id), { type: 'DeleteSession', ...by(asked) }))
      await parts.left(envSessionStream(id))
      disk.changed(user_id)
      lookedAt.delete(id)
    },

    /** Closes what nobody has used for so long; the answer: which. */
    async cleanUp(asked: Asked, seconds: number, userId?: string): Promise<string[]> {
      const idle = queries
        .active()
        .filter(row => (userId === undefined || row.user_id === userId) && isIdle(row, seconds))
      for (const { id } of idle) await close(asked, id, 'inactive')
      return idle.map(({ id }) => id)
    },

    /** What cannot come back after a restart is closed, with what is known of its last step. */
    async closeLost(): Promise<void> {
      for (const { id, recovery } of queries.active()) {
        if (recovery !== 'none') continue
        const reason = 'the server was restarted, and an environment of this kind does not come back'
        await runtime.ask(envSessionStream(id), {
          type: 'CloseSession',
          reason,
          principal: 'system',
          causation: '',
        })
      }
    },

    accessedAt: (id: string): number => lookedAt.get(id) ?? 0,
    viewOf,

    /** The tools of the session that a task's session names, as far as they are the user's own; none when it is done. */
    async toolsFor(
      sessionId: string,
      userId: string,
    ): Promise<{ tools: ToolDefinition[]; recovery?: Recovery }> {
      const row = queries.rowById(sessionId)
      if (row === undefined || row.is_active === 0 || row.user_id !== userId) return { tools: [] }
      const { state, done, tools, created } = await viewOf(sessionId)
      if (state !== 'active' || done || created === undefined) return { tools: [] }
      return { tools, recovery: created.recovery }
    },
    /** Whether there is such a session of the user. */
    isOf: (sessionId: string, userId: string): boolean => queries.rowById(sessionId)?.user_id === userId,
    /** Whether the session that a task names has begun the step of this effect, whatever became of it since. */
    async hasBegun(sessionId: string, userId: string, effectId: string): Promise<boolean> {
      const row = queries.rowById(sessionId)
      if (row === undefined || row.user_id !== userId) return false
      const { byEffect, unknown } = await settled(sessionId)
      return byEffect.has(effectId) || unknown.has(effectId)
    },
    /**
     * A call of a task as a step of its session; the same effect is the same step. Rejects with OutcomeUnknown when
     * this run of the call was begun and nobody knows how it ended.
     */
    takeFor: async (sessionId: string, step: Omit<StepWish, 'keys'> & { attempt: number }) => {
      const view = await settled(sessionId)
      const isUnknown = (view.unknown.get(step.effectId) ?? 0) >= step.attempt
      if (isUnknown)
        throw new OutcomeUnknown('nobody knows how this step ended: the server stopped while it ran')
      if (!view.byEffect.has(step.effectId)) await mustHaveRoom(view)
      const by = { principal: 'system', causation: step.effectId }
      const { answer, revision } = await take(sessionId, { ...step, keys: {} }, by).catch(error => {
        throw error instanceof StorageFailure ? new OutcomeUnknown(error.message) : error
      })
      return { answer, at: { stream: envSessionStream(sessionId), revision } }
    },
  }
}
export type Sessions = ReturnType<typeof createSessions>
