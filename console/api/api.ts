// What the console asks of the server, and how paths and queries are written.
import type { EventChannel } from '../../src/contract/events/public-events.ts'

/** A part of a path. */
export const at = (id: string): string => `/${encodeURIComponent(id)}`

/** A query; parameters without a value are left out. */
export const queryOf = (given: Record<string, string | number | boolean | string[] | undefined>): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(given))
    for (const one of [value].flat()) if (one !== undefined && one !== '') query.append(name, String(one))
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}

export type Api = {
  /** Sends a request below /v1. Resolves to the body of the answer. Rejects with ApiError. */
  send<T>(method: string, path: string, body?: object, signal?: AbortSignal): Promise<T>
  /** Like `send`, for answers in an envelope. */
  ask<T>(method: string, path: string, body?: object, signal?: AbortSignal): Promise<T>
  /** Reads an answer below /v1 in lines of JSON, some lines at a time, to its end. Rejects with ApiError. */
  lines(path: string, signal: AbortSignal, take: (lines: string[]) => void): Promise<void>
  /** The text of an answer below /v1 that is no JSON. Rejects with ApiError. */
  text(path: string): Promise<string>
  /** Reads a text at any path of the server, whatever the status: `readyz` sends a text with 503, too. */
  read(path: string, signal?: AbortSignal): Promise<{ status: number; text: string }>
  /**
   * Follows events, or a task. Resolves when the task has no more frames. Rejects with ApiError: with NoSocket when
   * there is an answer to requests, but no WebSocket can be opened.
   */
  follow(subscription: Subscription, options: FollowOptions): Promise<void>
}

/** The fields of a message `subscribe`. */
export type Subscription =
  | { channels: EventChannel[]; filter: { types: string[]; session_id?: string; task_id?: string } }
  | { channels: ['task']; task_id: string; since: number }

export type FollowOptions = {
  signal: AbortSignal
  /** Called when the subscription has begun: everything that is stored from now on is sent. */
  onOpen?: () => void
  /** Called with each public event, or with each frame. */
  onEvent: (event: object) => void
}
