// The requests about environments and their sessions.

import { type Link, pathOf } from './link.ts'
import { type List, listAfter } from './lists.ts'
import { type Creating, type Sending, send } from './send.ts'
import type {
  CleanedSessions,
  ClosedEnv,
  CreatedEnv,
  CreateEnvBody,
  DeletedSession,
  EnvironmentDetails,
  EnvironmentInfo,
  EnvSession,
  EnvStepAnswer,
  ObservedEnv,
  ResetEnv,
  ResetEnvBody,
  StepEnvBody,
} from './types.ts'

const pageSize = 100

export const environmentsOf = (link: Link) => {
  const post = <T>(path: string, body: unknown, { signal }: Sending, key?: string | true) =>
    send<T>(link, { method: 'POST', path, body, signal, key })
  return {
    /** The environments that there are, in order of their names. */
    list: ({ signal }: Sending = {}): List<EnvironmentInfo> =>
      listAfter(
        link,
        { method: 'GET', path: '/v1/env', query: { limit: pageSize }, signal },
        ({ environments }: { environments: EnvironmentInfo[] }) => environments,
        ({ name }) => name,
        ({ environments }) => environments.length === pageSize,
      ),
    get: (id: string, { signal }: Sending = {}): Promise<EnvironmentDetails> =>
      send(link, { method: 'GET', path: pathOf`/v1/env/${id}`, signal }),
    /** Creates a session with an instance of an environment. */
    create: (body: CreateEnvBody = {}, options: Creating = {}): Promise<CreatedEnv> =>
      post('/v1/env/create', body, options, options.idempotencyKey ?? true),
    /** Calls a tool of the environment. However often the request is tried, the step is taken once. */
    step: (body: Omit<StepEnvBody, 'stream'>, options: Creating = {}): Promise<EnvStepAnswer> =>
      post('/v1/env/step', body, options, options.idempotencyKey ?? true),
    reset: (body: ResetEnvBody, options: Creating = {}): Promise<ResetEnv> =>
      post('/v1/env/reset', body, options, options.idempotencyKey ?? true),
    observe: (session_id: string, options: Sending = {}): Promise<ObservedEnv> =>
      post('/v1/env/observation', { session_id }, options),
    close: (session_id: string, options: Sending = {}): Promise<ClosedEnv> =>
      post('/v1/env/close', { session_id }, options),
  }
}

export type SessionQuery = {
  /** The id of a session: the list begins after it. */
  starting_after?: string | undefined
  user_id?: string | undefined
  search?: string | undefined
  state?: 'active' | undefined
  /** The size of a page, up to 1,000. */
  limit?: number | undefined
}

export const sessionsOf = (link: Link) => ({
  /** The environment sessions, newest first. */
  list: (query: SessionQuery = {}, { signal }: Sending = {}): List<EnvSession> =>
    listAfter(
      link,
      { method: 'GET', path: '/v1/env/sessions', query: { limit: pageSize, ...query }, signal },
      ({ sessions }: { sessions: EnvSession[]; has_more?: boolean }) => sessions,
      ({ session_id }) => session_id,
      ({ has_more }) => has_more === true,
    ),
  get: (id: string, { signal }: Sending = {}): Promise<EnvSession> =>
    send(link, { method: 'GET', path: pathOf`/v1/env/session/${id}`, signal }),
  delete: (id: string, { signal }: Sending = {}): Promise<DeletedSession> =>
    send(link, { method: 'DELETE', path: pathOf`/v1/env/session/${id}`, signal }),
  /** Closes the sessions that nobody has used for so many seconds. */
  cleanup: (inactive_seconds?: number, { signal }: Sending = {}): Promise<CleanedSessions> =>
    send(link, { method: 'POST', path: '/v1/env/sessions/cleanup', query: { inactive_seconds }, signal }),
})
