// The client: one object for one server and one token.
import { cronOf } from './cron.ts'
import { environmentsOf, sessionsOf } from './environments.ts'
import { type EventsOptions, followEvents, type PlacedEvent } from './events.ts'
import { type Link, linkOf, type Options } from './link.ts'
import { type List, ownList } from './lists.ts'
import { type Run, type RunOptions, runOf } from './run.ts'
import { type Creating, newKey, type Sendable, type Sending, send } from './send.ts'
import { createOf, inBackground, type TaskBody, tasksOf } from './tasks.ts'
import type { AgentInfo, Ticket } from './types.ts'
import { webhooksOf } from './webhooks.ts'

/**
 * A client of a Reprise server. Every request that can be repeated without harm is tried again while the server is away or too
 * busy, and streams take themselves up again.
 */
export class Reprise {
  readonly #link: Link
  readonly tasks: ReturnType<typeof tasksOf>
  readonly env: ReturnType<typeof environmentsOf>
  readonly sessions: ReturnType<typeof sessionsOf>
  readonly cron: ReturnType<typeof cronOf>
  readonly webhooks: ReturnType<typeof webhooksOf>
  readonly agents: { list(options?: Sending): List<AgentInfo> }

  constructor(options: Options = {}) {
    const link = linkOf(options)
    this.#link = link
    this.tasks = tasksOf(link)
    this.env = environmentsOf(link)
    this.sessions = sessionsOf(link)
    this.cron = cronOf(link)
    this.webhooks = webhooksOf(link)
    this.agents = { list: ({ signal } = {}) => ownList(link, '/v1/agents', undefined, signal) }
  }

  /**
   * Creates a task and follows it. The frames come once each and in order, also when the connection breaks or the server is started
   * again. `tools` and `approve` answer what the task waits for.
   */
  run(body: TaskBody, options: RunOptions & Creating = {}): Run {
    const { idempotencyKey = newKey(), tools } = options
    const begin = async (signal: AbortSignal) =>
      (await createOf(this.#link, inBackground(body, tools), { signal, idempotencyKey })).id
    return runOf(this.#link, begin, options)
  }

  /** The public events of everything that the token reaches, past and live. They never end by themselves. */
  events(options: EventsOptions = {}): AsyncGenerator<PlacedEvent, void> {
    return followEvents(this.#link, options)
  }

  /** A ticket, with which a browser may open a stream without the token, for a minute. */
  streamTicket(body: { for?: 'socket' } = {}, { signal }: Sending = {}): Promise<Ticket> {
    return send(this.#link, { method: 'POST', path: '/v1/auth/stream-ticket', body, signal })
  }

  /**
   * Sends any other request, and resolves to the JSON of its answer. `key: true`: with an Idempotency-Key of its own. `once`: it is
   * not made again when its answer is lost. The default is true for a POST without a key.
   */
  request<T = unknown>(request: Sendable): Promise<T> {
    const { method, key, once = method === 'POST' && !key } = request
    return send(this.#link, { ...request, once })
  }
}
