// The only part of the console that talks to the server. It uses the public HTTP API, with the token of the session.

import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { readJson } from '../../src/contract/exact-json.ts'
import { ApiError, errorOf, unreachable } from './api-error.ts'
import { readLines } from './lines.ts'

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
  /** Reads a text at any path of the server, whatever the status: `/readyz` sends a text with 503, too. */
  read(path: string, signal?: AbortSignal): Promise<{ status: number; text: string }>
  /** Reads a stream of server-sent events. Resolves when the server ends it. Rejects with ApiError. */
  follow(path: string, options: FollowOptions): Promise<void>
}
export type FollowOptions = {
  lastEventId?: string | undefined
  signal: AbortSignal
  onOpen?: () => void
  onEvent: (event: EventSourceMessage) => void
}

/** A stream is broken when nothing comes for this many milliseconds. The server sends something every 10 seconds. */
const silenceMs = 25_000

/** `onRefused` is called when the server does not know the token any more. */
export const createApi = (tokenOf: () => string | undefined, onRefused: () => void): Api => {
  const request = async (path: string, init: RequestInit): Promise<Response> => {
    const token = tokenOf()
    const headers = { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...init.headers }
    const answer = await fetch(path, { ...init, headers }).catch(error => {
      throw init.signal?.aborted ? error : unreachable(error)
    })
    if (answer.status === 401 && token !== undefined && token === tokenOf()) onRefused()
    return answer
  }
  const ask = async (path: string, init: RequestInit): Promise<Response> => {
    const answer = await request(path, init)
    if (!answer.ok) throw errorOf(answer.status, await answer.text())
    return answer
  }

  const send = async <T>(method: string, path: string, body?: object, signal?: AbortSignal): Promise<T> => {
    const content =
      body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    const answer = await ask(`/v1${path}`, { method, ...content, ...(signal && { signal }) })
    const text = await answer.text().catch(error => {
      throw unreachable(error)
    })
    return readJson(text) as T
  }

  return {
    send,
    async lines(path, signal, take) {
      const answer = await ask(`/v1${path}`, { headers: { accept: 'application/x-ndjson' }, signal })
      if (answer.body !== null) await readLines(answer.body, take)
    },
    text: async path => (await ask(`/v1${path}`, {})).text(),
    ask: async <T>(method: string, path: string, body?: object, signal?: AbortSignal) =>
      (await send<{ result: T }>(method, path, body, signal)).result,
    async read(path, signal) {
      const answer = await request(path, { method: 'GET', ...(signal && { signal }) })
      return { status: answer.status, text: await answer.text() }
    },
    async follow(path, { lastEventId, signal, onOpen, onEvent }) {
      const silent = new AbortController()
      let timer: ReturnType<typeof setTimeout> | undefined
      const heard = () => {
        clearTimeout(timer)
        timer = setTimeout(() => silent.abort(), silenceMs)
      }
      const headers = {
        accept: 'text/event-stream',
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      }
      heard()
      try {
        const answer = await ask(path, { headers, signal: AbortSignal.any([signal, silent.signal]) })
        onOpen?.()
        const parser = createParser({ onEvent })
        const decoder = new TextDecoder()
        const reader = answer.body?.getReader()
        for (;;) {
          const piece = await reader?.read()
          if (piece === undefined || piece.done) return
          heard()
          parser.feed(decoder.decode(piece.value, { stream: true }))
        }
      } catch (error) {
        throw error instanceof ApiError ? error : unreachable(error)
      } finally {
        clearTimeout(timer)
      }
    },
  }
}
