// A log with events to append, NATS between it and its followers, and what each of them must have got.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Test } from 'tap'
import { createEvents } from '../../src/bus/events.ts'
import { createNatsBus } from '../../src/bus/nats/nats-bus.ts'
import { natsOf } from '../../src/bus/nats/nats-settings.ts'
import { bodyOf, type Published, publishedOf } from '../../src/bus/published.ts'
import type { NewEvent, Recorded } from '../../src/contract/stored.ts'
import { wholeLoop } from '../../src/fairness/loop-shares.ts'
import { openLog } from '../../src/log/log.ts'
import { memoryStore } from '../../src/log/memory-store.ts'
import type { Store } from '../../src/log/store.ts'
import { build } from '../../src/platform/version.ts'
import { realWorld } from '../../src/platform/world.ts'
import { until } from '../support/http.ts'
import type { Message } from '../support/nats.ts'

export type Line = { level: string; message: string; fields: Record<string, unknown> }

const facts: [type: string, data: object][] = [
  ['TaskDeleted', { by: 'x' }],
  ['AgentSpawned', { agent_id: 'a', workdir: '/w' }],
  ['ItemDelta', {}], // nothing to subscribers
  ['TaskStarted', { from: 'created', context: [] }],
]

/** Events of a task: one for each type in turn, or the ones given. */
const eventsOf = (count: number, from: number): NewEvent[] =>
  Array.from({ length: count }, (_, n) => {
    const [type, data] = facts[(from + n) % facts.length] as [string, object]
    return { type, data, schema_version: 1, seq: n, frames: 1 }
  })

type Wish = {
  /** Another log than the one that every other test has. */
  id?: string
  store?: Store
  folder?: string
  env?: Record<string, string>
  /** Milliseconds of the clock of the relay's reports. */
  now?: (() => number) | undefined
}

export const givenBus = async (t: Test, url: string, wish: Wish = {}) => {
  const world = realWorld()
  const store = wish.store ?? { ...memoryStore(), logId: () => wish.id ?? 'log_one' }
  const log = openLog(store, { clock: world.clock, random: world.random, build })
  const folder = wish.folder ?? mkdtempSync(path.join(tmpdir(), 'reprise-test-'))
  const settings = natsOf({ NATS_URL: url, ...wish.env })
  if (settings === undefined) throw new Error('there is no NATS')
  const lines: Line[] = []
  const events = createEvents(log, wholeLoop)
  const bus = createNatsBus({
    settings,
    log,
    file: path.join(folder, 'nats.json'),
    timers: world.timers,
    now: wish.now,
    report: (level, message, fields = {}) => lines.push({ level, message, fields }),
  })
  log.subscribe({ after: log.head() }, bus.join(events))
  // The timers of the bus keep no process alive.
  const alive = setInterval(() => {}, 1000)
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= bus.stop().finally(() => clearInterval(alive))
    return stopped
  }
  t.teardown(async () => {
    await stop()
    if (wish.folder === undefined) rmSync(folder, { recursive: true, force: true })
  })

  let streams = 0
  /** One commit in the streams of two users. */
  const append = (count: number, extra: NewEvent[] = []): Promise<Recorded[]> => {
    const owner = ['anna', 'bob.by', 'carl'][streams % 3] as string
    return log.append([
      {
        stream: `task-t${log.head()}-${++streams}`,
        expectedRevision: -1,
        principal: 'admin',
        owner,
        session_id: 's',
        correlation_id: 'c',
        causation_id: 'r',
        events: [...eventsOf(count, streams), ...extra],
      },
    ])
  }
  /** Every public event of the log. */
  const told = async (): Promise<Published[]> => {
    const all: Published[] = []
    for await (const page of log.readAll()) all.push(...publishedOf(page))
    return all
  }
  /** A follower of everything after a position, in words that can be compared. */
  const follow = (after = 0, says: () => boolean = () => true) => {
    const got: string[] = []
    const subscription = events.subscribe(
      after,
      {},
      list => {
        for (const one of list) got.push(`${one.position} ${bodyOf(one)}`)
        return says()
      },
      error => got.push(String(error)),
    )
    return { got, ...subscription }
  }
  const caughtUp = (ms = 60_000) => until(() => bus.counts().connected && bus.counts().lag === 0, ms)

  return {
    ...bus,
    log,
    store,
    events,
    folder,
    lines,
    append,
    told,
    follow,
    caughtUp,
    stop,
    messages: () => lines.map(({ message }) => message),
  }
}
export type Bus = Awaited<ReturnType<typeof givenBus>>

/** What a stream must hold, or a follower have heard, of these events. */
export const wordsOf = (told: readonly Published[]): string[] =>
  told.map(one => `${one.position} ${bodyOf(one)}`)
export const wordsIn = (messages: readonly Message[]): string[] =>
  messages.map(({ headers, body }) => `${headers['Nats-Msg-Id']} ${body}`)
/** Each message names the one before it. */
export const chainOf = (messages: readonly Message[]): boolean =>
  messages.every(
    ({ headers }, n) => headers['Reprise-Prev'] === (n === 0 ? '0' : messages[n - 1]?.headers['Nats-Msg-Id']),
  )
