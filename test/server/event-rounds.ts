// Subscribers of every kind on a server that is killed again and again while tasks run; then what each was told over
// all its connections is held against one fresh reading, and that against the log. Used by events-kill.test.ts and by
// the soak test.
import { EventSource } from 'eventsource'
import { createParser } from 'eventsource-parser'
import { eventNames, type PublicEvent } from '../../src/contract/events/public-events.ts'
import { publicEventOf } from '../../src/history/public-events.ts'
import { mustBeLawful } from '../history/public-lawful.ts'
import { apiOf, killedStart, launch, type ServerProcess } from '../support/server.ts'
import { randomOf } from '../support/world.ts'
import { flawsOf, storedEvents } from './stored-log.ts'
import { sleep, until } from './wire.ts'

type Heard = { id: number; type: string; data: string }
type Wish = {
  name: string
  /** Whose events it may see; undefined: all. */
  user?: 'ann' | 'bob'
  /** What it asks for beside a cursor. */
  query?: string
  fits?: (event: PublicEvent) => boolean
  from: 'earliest' | 'now'
}
type Subscriber = Wish & {
  /** After this position it must miss nothing; undefined: it has not been told one yet. */
  start: number | undefined
  last: number | undefined
  heard: Heard[]
  cuts: number
  /** Cut after it was told a position, and before any event. */
  cutBeforeFirst: number
  close: () => void
}

const isOf =
  (...types: string[]) =>
  ({ type }: PublicEvent) =>
    types.includes(type)
/** Every kind of subscriber, in turns; deletions come only at the end, so those who wait for one are cut before it. */
const wishes: Omit<Wish, 'name'>[] = [
  { from: 'earliest' },
  { from: 'now' },
  { from: 'now', query: 'types=TaskDeleted', fits: isOf('TaskDeleted') },
  { from: 'earliest', user: 'ann' },
  { from: 'now', user: 'bob' },
  {
    from: 'earliest',
    query: 'types=TaskCreated,TaskStatusChanged&types=AgentError',
    fits: isOf('TaskCreated', 'TaskStatusChanged', 'AgentError'),
  },
  { from: 'earliest', query: 'session_id=s1', fits: ({ session_id }) => session_id === 's1' },
  {
    from: 'now',
    user: 'ann',
    query: 'types=TaskDeleted&session_id=s1',
    fits: event => event.type === 'TaskDeleted' && event.session_id === 's1',
  },
]
const closed = 2

export const eventRounds = async (options: {
  dataDir: string
  seed: number
  rounds: number
  subscribers: number
  /** The most events that arrive in a round before the kill, over all subscribers. */
  atMost: number
  onRound?: (round: number) => void
}) => {
  const { dataDir, seed, rounds, atMost } = options
  const random = randomOf(seed)
  const upTo = (n: number) => Math.floor(random() * n)
  const pick = <T>(...choices: T[]) => choices[upTo(choices.length)] as T
  const problems: string[] = []

  // An EventSource comes back to where it was: the port stays, below those that the system hands out.
  let server: ServerProcess | undefined
  let port = 0
  while (server === undefined) {
    port = 20_000 + upTo(12_000)
    server = await launch(dataDir, { PORT: `${port}` }).catch(() => undefined)
  }
  const url = server.url
  const api = apiOf(url)
  let isUp = Promise.resolve()
  /** Nobody asks for tasks any more; nobody listens any more. */
  let enoughTasks = false
  let over = false
  let arrived = 0

  const tokenFor = async (user?: string): Promise<string> => {
    const answer = await api('POST', '/auth/tokens', {
      role: 'subscriber',
      ...(user === undefined ? {} : { user_id: user }),
    })
    return ((await answer.json()) as { token: string }).token
  }
  const tokens = { ann: await tokenFor('ann'), bob: await tokenFor('bob'), all: await tokenFor() }
  const tokenOf = ({ user }: Wish) => tokens[user ?? 'all']

  const take = (subscriber: Subscriber, { id, type, data }: Heard) => {
    arrived++
    if (type === 'Position') {
      if (subscriber.last !== undefined)
        problems.push(`${subscriber.name}: told the position though it had a cursor`)
      subscriber.start = id
    } else subscriber.heard.push({ id, type, data })
    subscriber.last = id
  }
  const wasCut = (subscriber: Subscriber) => {
    subscriber.cuts++
    if (subscriber.last !== undefined && subscriber.heard.length === 0) subscriber.cutBeforeFirst++
  }

  /** By fetch: at once back with its last id, in the header or in the query; now and then it goes away by itself. */
  const followByFetch = async (subscriber: Subscriber): Promise<void> => {
    const { name, query = '', from } = subscriber
    while (!over) {
      await isUp
      const leave = new AbortController()
      subscriber.close = () => leave.abort()
      const { last } = subscriber
      const cursor = last ?? (from === 'earliest' ? 'earliest' : undefined)
      const inHeader = random() < 0.7
      const where = new URL(`/api/events?${query}`, url)
      if (cursor !== undefined && !inHeader) where.searchParams.set('starting_after', `${cursor}`)
      const goesAway = random() < 0.2 ? setTimeout(() => leave.abort(), upTo(400)) : undefined
      try {
        const answer = await fetch(where, {
          headers: {
            authorization: `Bearer ${tokenOf(subscriber)}`,
            accept: 'text/event-stream',
            ...(cursor !== undefined && inHeader ? { 'last-event-id': `${cursor}` } : {}),
          },
          signal: leave.signal,
        })
        if (answer.status !== 200) problems.push(`${name}: ${answer.status} ${await answer.text()}`)
        const parser = createParser({
          onEvent: ({ id, event = '', data }) => take(subscriber, { id: Number(id), type: event, data }),
          onError: error => problems.push(`${name}: ${error.message}`),
        })
        const decoder = new TextDecoder()
        for await (const chunk of answer.body ?? []) {
          parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }))
        }
        problems.push(`${name}: the stream ended properly, though the server was killed`)
      } catch {
        wasCut(subscriber)
      }
      clearTimeout(goesAway)
      await sleep(upTo(20))
    }
  }

  /** As browsers do, by a ticket or with a header: it comes back by itself. */
  const followByEventSource = async (subscriber: Subscriber, byTicket: boolean): Promise<void> => {
    const where = new URL(`/api/events?${subscriber.query ?? ''}`, url)
    if (subscriber.from === 'earliest') where.searchParams.set('starting_after', 'earliest')
    const authorization = `Bearer ${tokenOf(subscriber)}`
    if (byTicket) {
      const answer = await api('POST', '/auth/stream-ticket', undefined, { authorization })
      where.searchParams.set('ticket', ((await answer.json()) as { ticket: string }).ticket)
    }
    const source = new EventSource(
      where,
      byTicket
        ? {}
        : { fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, authorization } }) },
    )
    subscriber.close = () => source.close()
    for (const name of [...eventNames, 'Position']) {
      source.addEventListener(name, ({ lastEventId, data }) =>
        take(subscriber, { id: Number(lastEventId), type: name, data }),
      )
    }
    source.addEventListener('error', ({ code }) => {
      wasCut(subscriber)
      if (source.readyState === closed) problems.push(`${subscriber.name}: gave up for good (${code})`)
    })
    await new Promise<void>(resolve => source.addEventListener('open', () => resolve(), { once: true }))
  }

  const all: Subscriber[] = Array.from({ length: options.subscribers }, (_, n) => {
    const wish = wishes[n % wishes.length] as Omit<Wish, 'name'>
    const start = wish.from === 'earliest' ? 0 : undefined
    const name = `subscriber ${n} (${wish.from} ${wish.user ?? ''} ${wish.query ?? ''})`
    return { ...wish, name, start, last: undefined, heard: [], cuts: 0, cutBeforeFirst: 0, close: () => {} }
  })
  // Each fourth is an EventSource, of another kind each time.
  const sources = all.filter((_, n) => n % 4 === (n >> 2) % 4)
  await Promise.all(sources.map((source, n) => followByEventSource(source, n % 2 === 0)))
  const following = all.filter(each => !sources.includes(each)).map(followByFetch)

  const someScript = () => {
    const kinds = [
      { message: 'one two three four', delta_ms: upTo(20) },
      { sleep_ms: upTo(60) },
      { reasoning: 'so' },
      { subagent: 'echo', input: 'below' },
      { fail: { code: -32000, message: 'no' } },
    ]
    return Array.from({ length: 1 + upTo(3) }, () => pick(...kinds))
  }
  const ids: string[] = []
  const work = async (client: number): Promise<void> => {
    for (let n = 0; !enoughTasks; n++) {
      await isUp
      const body = {
        user_message_content: `${client} ${n}`,
        stream: false,
        background: true,
        user_id: pick('ann', 'bob', 'carl'),
        session_id: pick('s1', 's2', `s-${client}-${n}`),
        agent_config: { agent_id: 'script', script: someScript() },
      }
      try {
        const answer = await api('POST', '/tasks', body)
        ids.push(((await answer.json()) as { result: { id: string } }).result.id)
      } catch {
        await sleep(5) // the server may be dying
      }
      await sleep(upTo(30))
    }
  }
  const working = Array.from({ length: 4 }, (_, client) => work(client))

  for (let round = 1; round <= rounds; round++) {
    options.onRound?.(round)
    // At a random moment: after so many events, however slow this machine is, and a little more.
    const enough = arrived + upTo(atMost)
    for (let waited = 0; arrived < enough && waited < 4000; waited += 2) await sleep(2)
    await sleep(upTo(40))
    let rise = () => {}
    isUp = new Promise(resolve => {
      rise = resolve
    })
    await server.end('SIGKILL')
    if (upTo(6) === 0) await killedStart(dataDir, 350 + upTo(350), { PORT: `${port}` })
    server = await launch(dataDir, { PORT: `${port}` })
    rise()
  }
  const settled = async (): Promise<boolean> => {
    const open = await api('GET', '/tasks?include_subtasks=true&status=created&status=queued&status=working')
    return ((await open.json()) as { result: unknown[] }).result.length === 0
  }
  /** One reading of everything, from the earliest on. */
  const readAll = async (): Promise<Heard[]> => {
    const heard: Heard[] = []
    const leave = new AbortController()
    const answer = await fetch(`${url}/api/events?starting_after=earliest`, {
      headers: { authorization: `Bearer ${tokens.all}` },
      signal: leave.signal,
    })
    const parser = createParser({
      onEvent: ({ id, event = '', data }) => heard.push({ id: Number(id), type: event, data }),
    })
    const decoder = new TextDecoder()
    const reading = (async () => {
      for await (const chunk of answer.body ?? [])
        parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }))
    })().catch(() => {})
    await until('a fresh reading has everything', () => heard.length >= stored.length).catch(error =>
      problems.push(error.message),
    )
    leave.abort()
    await reading
    return heard
  }

  enoughTasks = true
  await Promise.all(working)
  await until('every task has ended', settled)
  for (const id of ids.slice(-12)) await (await api('DELETE', `/tasks/${id}`)).text()
  const stored = storedEvents(dataDir).flatMap(({ position, stream, type, time, data, ...header }) => {
    const recorded = { position, header: { ...header, stream, type, time }, data }
    const event = publicEventOf(recorded as unknown as Parameters<typeof publicEventOf>[0])
    return event === undefined
      ? []
      : [{ id: position, event, owner: (header as unknown as { owner: string }).owner }]
  })
  const fresh = await readAll()
  const wanted = stored.map(({ id, event }) => ({ id, type: event.type, data: JSON.stringify(event) }))
  if (JSON.stringify(fresh) !== JSON.stringify(wanted))
    problems.push('a fresh reading is not what the log says')

  const giveUpAt = performance.now() + 30_000
  const dataAt = new Map(fresh.map(({ id, data }) => [id, data]))
  for (const subscriber of all) {
    const { name, user, fits = () => true, start } = subscriber
    const expected = stored.filter(
      ({ id, event, owner }) =>
        id > (start ?? Number.POSITIVE_INFINITY) && (user === undefined || owner === user) && fits(event),
    )
    const patience = Math.max(0, giveUpAt - performance.now())
    await until(`${name} has heard all`, () => subscriber.heard.length >= expected.length, patience).catch(
      () => {},
    )
    const ids = subscriber.heard.map(({ id }) => id)
    const apart = expected.findIndex(({ id }, n) => ids[n] !== id)
    if (start === undefined) problems.push(`${name} was never told where it began`)
    if (apart >= 0 || ids.length !== expected.length) {
      problems.push(
        `${name}: ${ids.length} events for ${expected.length}, the first that differs is number ${apart}`,
      )
    }
    if (subscriber.heard.some(({ id, data }) => dataAt.get(id) !== data))
      problems.push(`${name} heard other words`)
  }
  over = true
  for (const { close } of all) close()
  await Promise.all(following)

  const byTask = new Map<string, PublicEvent[]>()
  for (const { event } of stored) {
    if (event.task_id === undefined) continue
    byTask.set(event.task_id, [...(byTask.get(event.task_id) ?? []), event])
  }
  for (const [id, events] of byTask) {
    try {
      mustBeLawful(events)
    } catch (error) {
      problems.push(`${id}: ${(error as Error).message}`)
    }
  }
  const [code] = await server.end('SIGTERM')
  if (code !== 0) problems.push(`the last stop ended with ${code}: ${server.output()}`)
  problems.push(...flawsOf(dataDir))
  const sum = (count: (subscriber: Subscriber) => number) =>
    all.reduce((total, each) => total + count(each), 0)
  return {
    problems,
    tasks: byTask.size,
    events: fresh.length,
    heard: sum(({ heard }) => heard.length),
    sources: sources.length,
    /** Streams that broke and were taken up again; of those, the ones that had not heard an event yet. */
    cuts: sum(({ cuts }) => cuts),
    cutBeforeFirst: sum(({ cutBeforeFirst }) => cutBeforeFirst),
    waited: all.filter(({ cutBeforeFirst, heard }) => cutBeforeFirst > 0 && heard.length > 0).length,
  }
}
