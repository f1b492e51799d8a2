// Which questions a recording answers, and how they are asked: over HTTP, as clients do.

import { publishedOf } from '../../src/bus/published.ts'
import { taskEvents } from '../../src/contract/decoders/task.ts'
import { eventNames } from '../../src/contract/events/public-events.ts'
import { isTerminal } from '../../src/contract/wire.ts'
import { emptyTask, evolve } from '../../src/history/task-view.ts'
import { decode } from '../../src/log/decode.ts'
import { pause, withoutUses } from '../support/http.ts'
import { adminToken } from '../support/server.ts'
import { type Answer, kept, type Question, type StoredRow, shortDigest } from './files.ts'

const sse = 'text/event-stream'
/** Beside one that holds the same in other words. */
const brief = true as const

/** Comments come when they like; everything else of a stream is the same each time. */
const withoutComments = (text: string): string => text.replace(/^:.*\n/gm, '')
const eventsIn = (text: string): number => text.match(/\n\n/g)?.length ?? 0

/** Reads until so many events have come, then breaks the connection off. */
const readEvents = async (response: Response, count: number, stop: AbortController): Promise<string> => {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (eventsIn(withoutComments(text)) >= count) break
  }
  stop.abort()
  return withoutComments(text).split('\n\n').slice(0, count).join('\n\n')
}

/**
 * What an auditor reads, without the stream in which the log names its key. The key is in a file that no recording
 * has, so the first start with a recorded log makes a key, and adds to this stream.
 */
const withoutAuditKey = (path: string, type: string, text: string): string => {
  if (!path.startsWith('/v1/audit/')) return text
  if (type.startsWith('application/x-ndjson'))
    return text.replace(/^\{"position":\d+,"stream":"audit-key",.*\n/gm, '')
  return text.replace(/,?\{"stream":"audit-key",[^{}]*\}/, '')
}

/** Asks until the server has room: it sends only two large answers to one caller at a time, and refuses others with 429. */
const fetchInTurn = async (url: string, options: RequestInit): Promise<Response> => {
  for (;;) {
    const response = await fetch(url, options)
    if (response.status !== 429) return response
    await response.text()
    await pause(20)
  }
}

/** Asks one question; throws nothing for a refusal, which is an answer, too. */
const askOne = async (url: string, question: Question, tokens: Record<string, string>) => {
  const { path, method = 'GET', as, accept, events } = question
  const stop = new AbortController()
  const response = await fetchInTurn(`${url}${path}`, {
    method,
    signal: stop.signal,
    headers: {
      authorization: `Bearer ${as === undefined ? adminToken : tokens[as]}`,
      'x-request-id': 'recorded',
      ...(accept === undefined ? {} : { accept }),
    },
  })
  const { status, headers } = response
  const text = events === undefined ? await response.text() : await readEvents(response, events, stop)
  const type = headers.get('content-type') ?? ''
  return {
    status,
    type,
    text: accept === sse ? withoutComments(text) : withoutAuditKey(path, type, withoutUses(text)),
  }
}

export const ask = async (
  url: string,
  question: Question,
  tokens: Record<string, string>,
): Promise<Answer> => {
  const { path, each, brief } = question
  if (each === undefined) {
    const { text, ...answer } = await askOne(url, question, tokens)
    return { ask: question, ...answer, ...kept(text, brief) }
  }
  const digests: string[] = []
  let last = { status: 0, type: '' }
  for (const end of each) {
    const { text, ...answer } = await askOne(url, { ...question, path: path + end }, tokens)
    digests.push(shortDigest(`${answer.status} ${text}`))
    last = answer
  }
  return { ask: question, ...last, digests }
}

const byStream = (rows: StoredRow[]): Map<string, StoredRow[]> => {
  const streams = new Map<string, StoredRow[]>()
  for (const row of rows) streams.set(row.stream, [...(streams.get(row.stream) ?? []), row])
  return streams
}

const ofTask = (stream: string, rows: StoredRow[]): Question[] => {
  const id = stream.slice('task-'.length)
  const view = rows.map(row => taskEvents.read(decode(row))).reduce(evolve, emptyTask())
  const task = `/v1/tasks/${id}`
  const positions = rows.map(({ position }) => `${position}`)
  const frames = Array.from({ length: view.seq }, (_, n) => `${n}`).filter((_, n) => n % 4 === 3)
  const ended = view.status !== 'absent' && isTerminal(view.status)
  return [
    { path: task },
    { path: `${task}/events?limit=1000` },
    ...(ended ? [{ path: `${task}/events`, accept: sse, brief }] : []),
    { path: `${task}/rollouts` },
    { path: `${task}/rollouts?format=jsonl`, brief },
    { path: `${task}/rollouts?form=delta`, brief },
    { path: `${task}/rollouts?format=atif` },
    { path: `${task}/replay`, method: 'POST' },
    ...(view.deleted ? [] : [{ path: `${task}?as_of=position:`, each: positions }]),
    ...(view.deleted ? [] : [{ path: `${task}?as_of=`, each: frames }]),
  ]
}

const ofSession = (stream: string): Question[] => {
  return [{ path: `/v1/env/session/${stream.slice('env-'.length)}` }]
}

const ofJob = (stream: string): Question[] => {
  const job = `/v1/cron/jobs/${stream.slice('cron-'.length)}`
  return [{ path: job }, { path: `${job}/runs?limit=100` }]
}

const ofStream = ([stream, rows]: [string, StoredRow[]]): Question[] => {
  const own = stream.startsWith('task-')
    ? ofTask(stream, rows)
    : stream.startsWith('env-')
      ? ofSession(stream)
      : stream.startsWith('cron-')
        ? ofJob(stream)
        : []
  return [...own, { path: `/v1/audit/events?limit=1000&stream=${encodeURIComponent(stream)}`, brief }]
}

/** Lists, and what tells of many streams: of everybody's, and of one user's. */
const ofAll = (as: { as?: string }, events: number): Question[] => [
  { ...as, path: '/v1/tasks?limit=100&include_subtasks=true' },
  { ...as, path: '/v1/tasks?limit=3&order=asc' },
  { ...as, path: '/v1/tasks?status=paused&status=input-required&limit=100' },
  { ...as, path: '/v1/env/sessions' },
  { ...as, path: '/v1/cron/jobs?limit=100' },
  { ...as, path: '/v1/rollouts?limit=1000' },
  { ...as, path: `/api/events?starting_after=earliest&types=${eventNames.join(',')}`, accept: sse, events },
]

/** Everything that is asked of a log. */
export const questionsOf = (rows: StoredRow[], users: readonly string[]): Question[] => {
  const told = publishedOf(rows.map(row => decode(row)))
  const streams = [...byStream(rows)].filter(([stream]) => stream !== 'audit-key')
  const first = streams.find(([stream]) => stream.startsWith('task-'))?.[0].slice('task-'.length)
  return [
    ...streams.flatMap(ofStream),
    ...ofAll({}, told.length),
    { path: '/v1/audit/streams?limit=1000' },
    { path: '/v1/audit/events', accept: 'application/x-ndjson' },
    { path: '/v1/auth/tokens' },
    ...users.flatMap(user => [
      ...ofAll({ as: user }, told.filter(({ owner }) => owner === user).length),
      { as: user, path: `/v1/tasks/${first}` },
      { as: user, path: '/v1/audit/events', accept: 'application/x-ndjson' },
    ]),
  ]
}
