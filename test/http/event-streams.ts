// Streams of /api/events in tests: as a client reads them, and byte for byte as they come on the wire.
import { createParser } from 'eventsource-parser'
import type { Test } from 'tap'
import type { PublicEvent } from '../../src/contract/events/public-events.ts'
import type { Log } from '../../src/contract/stored.ts'
import { publicEventOf } from '../../src/history/public-events.ts'
import { dial, read, until } from '../support/http.ts'
import { adminToken, serveHere } from '../support/server.ts'
import { follow } from '../support/sse.ts'

export type Heard = { id: number; type: string; body: Record<string, unknown> }

/** A decoder that is given a growing text again and again; throws at anything that it would complain about. */
const hearing = () => {
  const heard: Heard[] = []
  const complaints: string[] = []
  const parser = createParser({
    onEvent: ({ event = '', id, data }) =>
      heard.push({ id: Number(id), type: event, body: JSON.parse(data) }),
    onRetry: retry => complaints.push(`retry ${retry}`),
    onError: error => complaints.push(error.message),
  })
  let fed = 0
  const feed = (text: string) => {
    parser.feed(text.slice(fed))
    fed = text.length
    if (complaints.length > 0) throw new Error(complaints.join('; '))
  }
  return { heard, feed }
}
/** What a decoder makes of a stream. */
export const heardIn = (text: string): Heard[] => {
  const { heard, feed } = hearing()
  feed(text)
  return heard
}

type Wish = { query?: string; token?: string; headers?: Record<string, string>; at?: string }

/** The answer to a request for events, whatever it is. */
export const askEvents = (
  url: string,
  { query = '', token = adminToken, headers = {}, at = '/api/events' }: Wish = {},
) =>
  fetch(`${url}${at}${query === '' ? '' : `?${query}`}`, {
    headers: {
      accept: 'text/event-stream',
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
  })

/** An open stream, read in the background. */
export const listen = async (url: string, wish: Wish = {}) => {
  const answer = await askEvents(url, wish)
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`)
  const stream = await follow(answer)
  const { heard, feed } = hearing()
  const heardSoFar = (): Heard[] => {
    feed(stream.text())
    return heard
  }
  let end: 'ended' | 'broken' | undefined
  const over = stream.rest().then(
    () => {
      end = 'ended'
    },
    () => {
      end = 'broken'
    },
  )
  return {
    response: answer,
    text: stream.text,
    heard: (): Heard[] => [...heardSoFar()],
    ids: () => heardSoFar().map(({ id }) => id),
    /** How it ended; undefined: it is open. */
    end: () => end,
    over,
    /** Waits for an event with this id, or for so many. */
    async until(wished: (heard: Heard[]) => boolean, ms = 60_000): Promise<Heard[]> {
      await until(() => wished(heardSoFar()), ms)
      return [...heard]
    },
    cut: stream.cut,
  }
}
export type Stream = Awaited<ReturnType<typeof listen>>

/** Every public event of a log, as it must be heard. */
export const allOf = async (log: Pick<Log, 'readAll'>): Promise<(Heard & { owner: string })[]> => {
  const all: (Heard & { owner: string })[] = []
  for await (const page of log.readAll()) {
    for (const recorded of page) {
      const event: PublicEvent | undefined = publicEventOf(recorded)
      const { owner } = recorded.header
      if (event !== undefined)
        all.push({ id: recorded.position, type: event.type, body: { ...event }, owner })
    }
  }
  return all
}

/** The exact text of an event on the wire, written from the documents; what some take for the end of a line is escaped. */
export const frameOf = ({ id, type, body }: Heard): string => {
  const line = JSON.stringify(body)
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
    .replaceAll('\u0085', '\\u0085')
  return `id: ${id}\nevent: ${type}\ndata: ${line}\n\n`
}

export const requestText = (path: string, token = adminToken, ...headers: string[]): string =>
  [`GET ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${token}`, ...headers, '', ''].join('\r\n')

/** The text inside a chunked body so far, and what stands behind its end. */
export const unchunked = (raw: string): { text: string; whole: boolean; behind: string } => {
  let rest = Buffer.from(raw.slice(raw.indexOf('\r\n\r\n') + 4), 'latin1')
  const pieces: Buffer[] = []
  for (;;) {
    const line = rest.indexOf('\r\n')
    const size = /^[0-9a-f]+$/.exec(rest.toString('latin1', 0, Math.max(0, line)))
    const text = () => Buffer.concat(pieces).toString('utf8')
    if (size === null) return { text: text(), whole: false, behind: rest.toString('latin1') }
    const length = Number.parseInt(size[0], 16)
    if (length === 0) return { text: text(), whole: true, behind: rest.toString('latin1', line + 4) }
    if (rest.length < line + 2 + length + 2)
      return { text: text(), whole: false, behind: rest.toString('latin1') }
    pieces.push(rest.subarray(line + 2, line + 2 + length))
    rest = rest.subarray(line + 2 + length + 2)
  }
}

/** A stream on a connection of its own, byte for byte. Resolves when the head of the answer is there. */
export const rawStream = async (url: string, request: string) => {
  const connection = await dial(url)
  connection.socket.write(request)
  await until(() => connection.state.raw.includes('\r\n\r\n'))
  return { ...connection, body: () => unchunked(connection.state.raw) }
}

/** Events as subscribers get them, without their owners. */
export const heardBy = (all: (Heard & { owner: string })[]): Heard[] =>
  all.map(({ id, type, body }) => ({ id, type, body }))

/** The body of a create that is answered at once. */
export const echo = { user_message_content: 'hello', stream: false, client_id: 'echo' }

/** A server with two tasks, one of them in the session `s1`, and what tests of its events need. */
export const givenEvents = async (t: Test) => {
  const server = await serveHere(t)
  const { api, system } = server
  const create = async (body: object = {}, who = api) =>
    (await read(who('POST', '/tasks', { ...echo, ...body }))).body.result
  const everything = () => allOf(system.log)
  /** The id of the newest event. */
  const last = async () => (await everything()).at(-1)?.id ?? 0
  await create()
  await create({ session_id: 's1' })
  return {
    ...server,
    create,
    everything,
    last,
    tokenOf: async (body: object): Promise<{ id: string; token: string }> =>
      (await read(api('POST', '/auth/tokens', body))).body as unknown as { id: string; token: string },
    async hasAll() {
      const id = await last()
      return (heard: Heard[]) => (heard.at(-1)?.id ?? 0) >= id
    },
  }
}
