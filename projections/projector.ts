// Runs the projections. They fold events in memory as soon as the events are committed. A moment later, or before a
// query, the projector writes the changed rows and the checkpoint together. It commits them after a longer moment. So the
// server can stop at any point, and the read models continue after their checkpoint.

import type { Report, Timers } from '../src/contract/ports.ts'
import { Refusal } from '../src/contract/refusals.ts'
import type { Log, Recorded } from '../src/contract/stored.ts'
import { yieldToLoop } from '../src/platform/loop.ts'
import { hasTraces } from './erasing/table.ts'
import { createFolding, type Projection } from './folding.ts'
import { readToHead } from './read-to-head.ts'
import { createRewriting } from './rewriting.ts'
import type { ReadStore } from './store.ts'
import { isOfFile } from './sums.ts'
import type { Topic } from './topics.ts'
import { createTrust, type Trust } from './trust.ts'
import { createWriting } from './writing.ts'

export type Projector = {
  /** Folds the events of one commit, synchronously, so that every later query sees them. Never throws. */
  follow(events: Recorded[]): void
  /**
   * Writes the folded events, also text that other writes leave out. With a stream, it writes only if some of the
   * events belong to that stream. Called before each query, so that the query sees these events.
   */
  flush(stream?: string): void
  /**
   * Writes the folded events if some of them concern the topic; without a topic, always. Called before a query for a
   * decision of the server, which shows the rows to nobody. So they are not committed at once: after a crash, the log
   * makes them again.
   */
  prepare(topic?: Topic): void
  /** Runs a query. Throws ReadModelsBehind when the tables cannot be read; damaged tables are rebuilt. */
  reading<T>(ask: () => T): T
  /** Reads the log from the checkpoint to the head, while commits continue. A second call joins the first. */
  catchUp(): Promise<void>
  /** Resolves when the read models hold all events. After a failure, it waits until a later catch-up has succeeded. */
  caughtUp(): Promise<void>
  /** Resolves when the tables have no content of streams that a stored event has erased. Rejects when it cannot be removed. */
  erased(): Promise<void>
  /**
   * Writes the file of the read models anew, without its free space. The tables stay current meanwhile, so queries do
   * not wait.
   */
  rewrite(): Promise<void>
  /** Whether the free space of the file may have texts of erased streams, so that the file is to be written anew. */
  hasTraces(): boolean
  /** The position up to which the read models are written. */
  reached(): number
  /** Whether the read models hold everything that the log holds. */
  isCurrent(): boolean
  /** Whether the read models hold all events of one stream. They may lack events of other streams then. */
  isCurrentFor(stream: string): boolean
}

/**
 * Says why the read models cannot belong to this log. Undefined: they have no checkpoint, or the log has the leaf of
 * their checkpoint at its position.
 */
export const misfitOf = (store: ReadStore, log: Log): string | undefined => {
  const at = store
    .prepare<[], { position: number; leaf: string }>('SELECT position, leaf FROM checkpoint')
    .get()
  if (at === undefined || log.leafAt(at.position) === at.leaf) return undefined
  return at.position > log.head()
    ? `they hold ${at.position} events, and the log only ${log.head()}: unless it was restored, events are lost`
    : 'they belong to another log'
}

/** When this many events are folded and not written, their rows are written at once. */
const flushEvents = 1000

/**
 * Returns a function that runs a query, unless the tables are known to be damaged. The function also notices new
 * damage.
 */
const createReading =
  (trust: Trust, failed: (error: unknown) => void): Projector['reading'] =>
  ask => {
    if (trust.isDamaged()) throw new Refusal('ReadModelsBehind')
    try {
      return ask()
    } catch (error) {
      if (!isOfFile(error)) throw error
      failed(error)
      throw new Refusal('ReadModelsBehind')
    }
  }

export const createProjector = (
  store: ReadStore,
  log: Log,
  projectionsOn: (store: ReadStore) => Projection[],
  timers: Timers,
  report: Report,
): Projector => {
  let folding = createFolding(store, log, projectionsOn(store))
  const trust = createTrust(report)
  let catchingUp: Promise<void> | undefined
  const waiting: (() => void)[] = []

  /** After any failure, memory returns to the state of the tables, and the next `catchUp` continues from there. */
  const failed = (error: unknown) => {
    folding.failed()
    trust.failed(error)
  }
  const writing = createWriting({ folding: () => folding, store, timers, failed })
  const write = () => {
    if (!trust.isBehind()) writing.commitSoon() // otherwise the running catch-up writes
  }
  const notCaughtUp = (error: unknown): never => {
    catchingUp = undefined
    failed(error)
    throw error
  }
  const readOn = async (): Promise<void> => {
    trust.fallBehind()
    if (trust.mustBeEmptied()) {
      await folding.restart()
      trust.emptied()
    }
    writing.cancel()
    const onHead = () => {
      trust.caughtUp()
      catchingUp = undefined
      if (trust.isBehind()) return
      for (const go of waiting.splice(0)) go()
    }
    await readToHead(log, folding, { onHead })
    await erasing()
  }

  /** Removes the content of erased streams, piece by piece. */
  const removeErased = async (): Promise<void> => {
    do await yieldToLoop()
    while (!trust.isBehind() && store.isOpen() && writing.later())
  }
  let removing: Promise<void> | undefined
  const erasing = (): Promise<void> => {
    removing ??= removeErased().finally(() => {
      removing = undefined
    })
    return removing
  }

  const catchUp = (): Promise<void> => {
    catchingUp ??= Promise.resolve().then(readOn).catch(notCaughtUp)
    return catchingUp
  }

  const follow = (events: Recorded[]): void => {
    if (trust.isBehind()) {
      folding.note(events)
      return
    }
    const next = folding.position() + 1
    const fresh = events.filter(({ position }) => position >= next) // a catch-up may have folded some of them already
    if (fresh.length === 0) return
    try {
      if (fresh[0]?.position !== next) throw new Error(`the event at position ${next} was not handed over`)
      folding.take(fresh)
      if (folding.pending() >= flushEvents) write()
      else writing.soon(write)
    } catch (error) {
      folding.note(events)
      failed(error)
    }
  }
  const rewriting = createRewriting({
    store,
    log,
    projectionsOn,
    rest: async () => {
      while (catchingUp !== undefined) await catchingUp.catch(() => {})
    },
    isAtRest: () => catchingUp === undefined,
    replace(copy, next, since) {
      if (trust.isBehind() || !store.isOpen())
        throw new Error('the read models stopped while their file was written anew')
      writing.cancel()
      try {
        copy.replace()
      } catch (error) {
        folding.replaced()
        failed(error)
        throw error
      }
      folding = next
      follow(since)
    },
  })

  return {
    follow(events) {
      rewriting.follow(events)
      follow(events)
    },
    flush(stream) {
      if (trust.isBehind()) return // the running catch-up writes
      if (stream === undefined || folding.hasNewsOf(stream) || folding.isUncommitted(stream)) writing.now()
    },
    prepare(topic) {
      writing.check()
      if (topic === undefined || folding.lacks(topic)) write()
    },
    reading: createReading(trust, failed),
    catchUp,
    caughtUp: () => (trust.isBehind() ? new Promise(go => waiting.push(go)) : Promise.resolve()),
    async erased() {
      if (trust.isBehind()) await catchUp()
      writing.now()
      await removing // it may have looked before these rows were written
      await erasing()
      writing.now()
      if (trust.isBehind()) throw new Error('the read models have stopped')
    },
    async rewrite() {
      if (trust.isBehind()) await catchUp()
      writing.now()
      await rewriting.rewrite()
      if (folding.position() < log.head()) await catchUp() // the events of these commits were not handed over, so they are read
    },
    hasTraces: () => hasTraces(store),
    reached: () => folding.written(),
    isCurrent: () => !trust.isBehind() && folding.position() === log.head(),
    isCurrentFor: stream => !trust.isBehind() || (!trust.isDamaged() && !folding.hasNewsOf(stream)),
  }
}
