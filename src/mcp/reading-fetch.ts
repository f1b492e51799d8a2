// A fetch for the HTTP transport that reads what servers send, and passes it on in the one form that the transport
// reads: an event stream with a message in each event. The size of answers is limited.
import type { Timers } from '../contract/ports.ts'
import type { Fetch } from '../egress/guarded-fetch.ts'
import { unreadable } from './failure.ts'
import { patienceMs } from './limits.ts'
import { type Answers, cannotRead, type Id } from './reading/answers.ts'
import { piecesOf, readRefusal, tooLarge } from './reading/bodies.ts'
import { createBody } from './reading/body.ts'
import type { Heard } from './reading/heard.ts'
import { createListener } from './reading/listener.ts'
import { wordsOfBody } from './reading/words.ts'

type Deps = { answers: Answers; timers: Pick<Timers, 'after'> }

/** The id of the request in the body of a POST; undefined: the body is no request. */
const requestIn = ({ body }: RequestInit): Id | undefined => {
  const { id, method } = JSON.parse(String(body)) as { id?: Id; method?: string }
  return method === undefined ? undefined : id
}

/** What has come of an answer. `isCut`: its end is missing. `other`: a text that is no message. */
type Relayed = { isBlank: boolean; isLarge: boolean; isCut: boolean; other: string | undefined }

/** Passes on what is heard of an answer, until the answer has ended. `own`: the request that it answers. */
const relay = async (
  response: Response,
  own: Id[],
  put: (lines: string) => void,
  { answers, timers }: Deps,
): Promise<Relayed> => {
  const relayed: Relayed = { isBlank: true, isLarge: false, isCut: false, other: undefined }
  let mayContinue = false
  const take = (all: Heard[]) => {
    for (const heard of all) {
      if ('mark' in heard) {
        mayContinue ||= heard.mark.startsWith('id')
        put(`${heard.mark}\ndata:`)
      }
      if ('other' in heard) relayed.other ??= heard.other
      for (const message of answers.take(heard, own)) put(`data: ${JSON.stringify(message)}`)
    }
  }
  const listener = createListener(createBody(), timers, take)
  try {
    for await (const piece of piecesOf(response)) {
      relayed.isBlank &&= piece.trim() === ''
      listener.hear(piece)
    }
    listener.end()
  } catch (error) {
    relayed.isLarge = error === tooLarge
    relayed.isCut = !relayed.isLarge
    // The transport asks for the rest of a stream that is broken off, if the stream has an id.
    if (mayContinue || relayed.isLarge) listener.stop()
    else listener.end()
  }
  return relayed
}

export const readingFetch = (fetch: Fetch, deps: Deps): Fetch => {
  const { answers, timers } = deps
  /** How many streams are open that answer no request. */
  let listening = 0

  /** Why a request has no answer; undefined: its answer was broken off, or may continue elsewhere. */
  const missing = async (
    status: number,
    { isBlank, isLarge, isCut, other }: Relayed,
  ): Promise<string | undefined> => {
    if (isLarge) return 'sent more than 10 MiB in one answer'
    if (other !== undefined) return cannotRead(wordsOfBody(other) || other)
    if (!isBlank || isCut) return undefined
    // Some servers accept a request with 202, and send the answer on the stream that is always open.
    if (listening > 0) await new Promise<void>(resolve => timers.after(patienceMs, resolve))
    return `answered with HTTP ${status} and no content`
  }

  const run = async (
    response: Response,
    own: Id[],
    controller: ReadableStreamDefaultController<Uint8Array>,
  ) => {
    const encoder = new TextEncoder()
    const put = (lines: string) => {
      try {
        controller.enqueue(encoder.encode(`${lines}\n\n`))
      } catch {
        // Nobody reads the stream any more.
      }
    }
    const relayed = await relay(response, own, put, deps)
    const isOpen = own.some(id => answers.open().includes(id))
    const why = isOpen ? await missing(response.status, relayed) : undefined
    if (why !== undefined) {
      for (const message of answers.fail(own, unreadable, why)) put(`data: ${JSON.stringify(message)}`)
    }
    controller.close()
  }

  const read = (response: Response, own: Id[]): Response => {
    const headers = new Headers(response.headers)
    for (const name of ['content-encoding', 'content-length']) headers.delete(name)
    headers.set('content-type', 'text/event-stream')
    if (own.length === 0) listening++
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        void run(response, own, controller)
          .catch(() => {})
          .finally(() => {
            if (own.length === 0) listening--
          })
      },
    })
    return new Response(stream, { status: 200, headers })
  }

  return async (url, init = {}) => {
    const response = await fetch(url, init)
    if (response.status >= 300 && response.status < 400) return response
    const id = init.method === 'POST' ? requestIn(init) : undefined
    if (init.method === 'POST' && id === undefined) {
      // Nothing depends on the answer to a notification, or to an answer of ours.
      await response.body?.cancel().catch(() => {})
      return new Response(null, { status: 202 })
    }
    if (!response.ok) return readRefusal(response, timers)
    return init.method === 'DELETE' ? response : read(response, id === undefined ? [] : [id])
  }
}
