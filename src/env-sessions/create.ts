// Creates an environment session, or returns the one that exists already.
import type { RequestKeys } from '../contract/commands/commands.ts'
import { AuthorsError, EnvironmentGone, type EnvironmentSource } from '../contract/environment.ts'
import { envSessionStream } from '../contract/events/env-session-events.ts'
import { callerOf, ownerOf, type Principal } from '../contract/events/token-events.ts'
import { Invalid, otherUser, Refusal } from '../contract/refusals.ts'
import { scopes } from '../contract/request-scopes.ts'
import { mayBeStored } from '../contract/stored.ts'
import { asTexts, masked } from '../contract/variables.ts'
import { CreateEnvBody } from '../contract/wire.ts'
import { nameOfKey, type SessionView } from '../history/env-session.ts'
import { type Attempt, callOf } from '../once/once.ts'
import { digestOfBody, digestOfRequest } from '../platform/digest.ts'
import { type Asked, by, type SessionDeps, type Shared } from './deps.ts'
import { invalid, problemsAt } from './invalid.ts'
import { foldTo, lost, viewOf } from './reading.ts'
import { keysOf } from './retries.ts'

/** The largest number of kinds that an error names. `GET /v1/env` lists all kinds. */
const maxNamed = 50
const unknownKind = (message: string, all: string[]): Refusal => {
  const kinds = all.toSorted().slice(0, maxNamed)
  const more = all.length > maxNamed ? ' and more, which GET /v1/env lists' : ''
  return new Refusal('EnvNotFound', { kinds }, `${message}; there are ${kinds.join(', ')}${more}`)
}

/** A create with a key derives the session's id from the key, so a repeated create finds the same session. */
const sessionIdFor = (principal: Principal, key: string | undefined): string | undefined =>
  key && `session-${digestOfBody([principal.id, key]).replace(/[^\w]/g, '').slice(0, 32)}`

/**
 * The user to whom the session belongs. A session that exists or was closed keeps its user when it is created again.
 */
const userOf = (
  { queries }: SessionDeps,
  principal: Principal,
  { user_id: named, session_id: id }: CreateEnvBody,
): string => {
  if (principal.userId !== undefined && named && named !== principal.userId) {
    throw otherUser(principal.userId, named)
  }
  const known = principal.userId === undefined && id ? queries.userOf(id) : undefined
  if (known !== undefined && named && named !== known) {
    throw new Refusal('Conflict', { session_id: id }, `the session "${id}" belongs to another user`)
  }
  return known ?? ownerOf(principal, named)
}

const resolved = async (
  { environments, checker }: SessionDeps,
  principal: Principal,
  body: CreateEnvBody,
): Promise<EnvironmentSource> => {
  const kwargs = body.env_init_kwargs ?? {}
  const kind = await environments.resolve(body.env_id ?? undefined, body.env_class_path ?? undefined)
  if ('refused' in kind) {
    const { refused, message, kinds } = kind
    if (kinds === undefined)
      throw new Refusal(refused === 'forbidden' ? 'Forbidden' : 'EnvNotFound', undefined, message)
    throw unknownKind(message, kinds)
  }
  const fits = await checker.check(kind.parameters, kwargs, callerOf(principal))
  if (!fits.ok) throw new Invalid(problemsAt(['env_init_kwargs'], fits.problems))
  return kind.source
}

/** Throws SessionNotFound for a session of another user, and Conflict for an erased one: its id stays taken. */
const mustBeFree = ({ queries }: SessionDeps, principal: Principal, id: string): void => {
  if (queries.isErased(id))
    throw new Refusal('Conflict', { session_id: id }, 'the session with this id was erased', {
      hint: 'Choose another id.',
    })
  if (queries.rowById(id) !== undefined) queries.visible(principal, id)
}

type CreateRequest = Attempt & { began(): void }
type Creation = {
  body: CreateEnvBody
  userId: string
  keys: RequestKeys
  source: EnvironmentSource
  began(): void
}

/** Returns the view of the new or existing session. */
const make = async (
  deps: Shared,
  asked: Asked,
  sessionId: string,
  creation: Creation,
): Promise<SessionView> => {
  const { runtime, callers, secrets, quotas, disk, ids } = deps
  const { body, userId, source, keys, began } = creation
  const vars = body.env_vars ?? {}
  const values = asTexts(vars)
  const ref = Object.keys(vars).length === 0 ? undefined : ids.next('sec_')
  if (ref !== undefined) secrets.put(ref, { env_vars: values })
  let release = () => {}
  const command = {
    type: 'CreateSession' as const,
    session: {
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
    seed: deps.randomSeed(),
    keys,
    ...by(asked),
  }
  const reserve = async () => {
    release = quotas.reserveSession(sessionId, userId, asked.principal.userId !== undefined)
    await disk.mustHaveRoom(userId)
    began()
  }
  try {
    const view = await callers.ask({ began: reserve }, no =>
      runtime.ask(envSessionStream(sessionId), { ...command, no }),
    )
    if (ref !== undefined && view.created?.secret_ref !== ref) secrets.forget(ref)
    return view
  } catch (error) {
    if (ref !== undefined && !mayBeStored(error)) secrets.forget(ref)
    if (error instanceof EnvironmentGone) throw invalid(['env_id'], error.message)
    if (error instanceof AuthorsError) throw invalid(['env_init_kwargs'], error.message)
    throw error
  } finally {
    release()
  }
}

/** `initial_state` is the state after the creation; `tools` and `done` are those of the view. */
const answerOf = (view: SessionView) => {
  if (view.created === undefined) throw lost(view)
  const { session_id, env_id, state } = view.created
  return { session_id, env_id, initial_state: state, tools: view.tools, done: view.done }
}

/** Whether no client has stepped, reset, closed or read the session since its creation. */
const isUnused = ({ log, lookedAt }: Shared, id: string): boolean =>
  log.revisionOf(envSessionStream(id)) === 0 && !lookedAt.has(id)

export const createSession = async (
  deps: Shared,
  asked: Asked,
  body: CreateEnvBody,
  request: CreateRequest,
) => {
  const { principal } = asked
  const { key, began } = request
  const userId = userOf(deps, principal, body)
  const source = await resolved(deps, principal, body)
  const named = body.session_id ?? sessionIdFor(principal, key)
  if (named !== undefined) mustBeFree(deps, principal, named)
  const { env_vars: _, ...rest } = body
  const keys = keysOf('create', digestOfRequest(CreateEnvBody, rest), body, key)
  const makeAs = async (id: string) => {
    const view = await make(deps, asked, id, { body, userId, keys, source, began })
    // A repeated create gets the answer of the first create.
    const revision =
      key === undefined ? undefined : view.byCreateKey.get(nameOfKey(principal.id, key))?.revision
    return answerOf(
      revision === undefined || revision === view.revision
        ? view
        : await foldTo(deps, envSessionStream(id), revision),
    )
  }
  if (named !== undefined) return makeAs(named)
  const id = deps.ids.next('session-')
  const call = callOf(scopes.session, principal, keys.bodyDigest ?? '', request, id)
  const done = await deps.once.once(call, () => makeAs(id), {
    // Two callers must not get one session: its answer must be lost, and nobody may have used it.
    byBody: ({ stored, isLost }) => stored().find(thing => isLost(thing) && isUnused(deps, thing.id)),
  })
  return 'made' in done ? done.made : answerOf(await viewOf(deps, done.replay))
}
