// What the tests of the log share: a log over either store, events to append, and everything it holds.
import path from 'node:path'
import t, { type Test } from 'tap'
import type { Recorded, StreamAppend } from '../../src/contract/stored.ts'
import { sqliteStore } from '../../src/log/file/sqlite-store.ts'
import { type EventLog, openLog } from '../../src/log/log.ts'
import { memoryStore } from '../../src/log/memory-store.ts'
import type { Store } from '../../src/log/store.ts'
import { none } from '../../src/platform/sqlite/checkpoints.ts'
import { newFolder, nodeIn } from '../cluster/support.ts'
import { type TestWorld, testWorld } from '../support/world.ts'
import { serversOf } from './jetstream.ts'

/** Some events for one stream; each data is one event. */
export const to = (stream: string, expectedRevision: number, ...data: object[]): StreamAppend => ({
  stream,
  expectedRevision,
  principal: 'principal-1',
  owner: 'user-1',
  session_id: 'sess-1',
  correlation_id: stream,
  causation_id: 'req-1',
  events: data.map(each => ({ type: 'Happened', schema_version: 1, data: each })),
})

export const numbered = (count: number, from = 0): { n: number }[] =>
  Array.from({ length: count }, (_, i) => ({ n: from + i }))

/** A log that is closed when the test ends, unless the test has closed it. */
export const openOn = async (
  t: Test,
  store: Store,
  world: Pick<TestWorld, 'clock' | 'random'> = testWorld(),
): Promise<EventLog> => {
  const log = await openLog(store, { clock: world.clock, random: world.random, build: 'test' })
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= log.close()
    return closed
  }
  t.teardown(close)
  return { ...log, close }
}

export const fileIn = (folder: string): string => path.join(folder, 'log.db')
/** Nothing leaves the WAL by itself, however long the test takes: many tests cut, copy or remove one of the two files. */
export const openFile = async (t: Test, file: string, world?: TestWorld): Promise<EventLog> =>
  openOn(
    t,
    sqliteStore(file, () => 'log_test', [], none),
    world,
  )

export type Given = {
  log: EventLog
  store: Store
  world: TestWorld
  /** Closes the log and opens what it has left behind. */
  reopened(world?: TestWorld): Promise<EventLog>
}

/** The same test on a log in memory, on one in a file, and on one that is replicated (jetstream.ts). */
export const onBothStores = (name: string, test: (t: Test, given: Given) => Promise<unknown>): void => {
  t.test(`in memory: ${name}`, async t => {
    const [world, store] = [testWorld(), memoryStore()]
    const log = await openOn(t, store, world)
    await test(t, {
      log,
      store,
      world,
      async reopened(later = world) {
        await log.close()
        return openOn(t, store, later)
      },
    })
  })
  t.test(`in a file: ${name}`, async t => {
    const [world, file] = [testWorld(), fileIn(t.testdir({}))]
    const store = await sqliteStore(file, () => 'log_test')
    const log = await openOn(t, store, world)
    await test(t, {
      log,
      store,
      world,
      async reopened(later = world) {
        await log.close()
        return openFile(t, file, later)
      },
    })
  })
  onReplica(name, test)
}

/** A replicated log of one node, and the same log opened again from its files. */
const onReplica = (name: string, test: (t: Test, given: Given) => Promise<unknown>): void => {
  t.test(`replicated: ${name}`, async t => {
    const [world, folder, servers] = [testWorld(), newFolder(t), await serversOf(t)]
    const begin = async (later: TestWorld) => {
      const node = nodeIn(t, servers, { folder })
      await node.replica.claim()
      return { node, log: await openOn(t, node.replica.store, later) }
    }
    const { node, log } = await begin(world)
    await test(t, {
      log,
      store: node.replica.store,
      world,
      async reopened(later = world) {
        await log.close()
        await node.close()
        return (await begin(later)).log
      },
    })
  })
}

export const pagesOf = async (pages: AsyncIterable<Recorded[]>): Promise<Recorded[][]> => {
  const read: Recorded[][] = []
  for await (const page of pages) read.push(page)
  return read
}
export const all = async (log: EventLog, after?: number): Promise<Recorded[]> =>
  (await pagesOf(log.readAll(after))).flat()
export const streamOf = async (log: EventLog, stream: string, after?: number): Promise<Recorded[]> =>
  (await pagesOf(log.readStream(stream, after))).flat()

/** Where each event stands: `<position> <stream>@<revision>`. */
export const places = (events: Recorded[]): string[] =>
  events.map(({ position, header }) => `${position} ${header.stream}@${header.revision}`)
export const dataOf = (events: Recorded[]): unknown[] => events.map(({ data }) => data)

export const oneToN = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1)

export const deferred = () => {
  let resolve = () => {}
  const promise = new Promise<void>(done => {
    resolve = done
  })
  return { promise, resolve }
}

/** What a promise is rejected with; undefined when it is not. */
export const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    error => error,
  )

/** Compares as text: thousands of events at a time are too many for a comparison that can draw a diff. */
export const sameText = (t: Test, actual: unknown, expected: unknown, message = 'the same text'): void => {
  const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (is === should) return void t.pass(message)
  const at = [...(is ?? '')].findIndex((char, i) => char !== should?.[i])
  t.equal(is?.slice(Math.max(0, at - 80), at + 80), should?.slice(Math.max(0, at - 80), at + 80), message)
}
