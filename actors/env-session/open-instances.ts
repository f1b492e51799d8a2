// Keeps the open instances, each with the revision of the stream that it matches. An instance that was unused for a
// while is closed, unless it would come back in another state.
import type { Instance } from '../../src/contract/environment.ts'
import type { Timers } from '../../src/contract/ports.ts'
import { SessionLost } from './ports.ts'

export type Entry = {
  instance: Instance
  /** The revision of the session's stream that the instance matches, or `ahead`. */
  revision: number
  usedAt: number
  /** The instance came back from an older snapshot and has done nothing since: it is older than the end of the log. */
  isOlder: boolean
  /** The state after the last change was not kept, so the instance would come back in an older state. */
  isUnkept: boolean
  /** Its process has ended by itself while nothing was asked of it. */
  isGone: boolean
}
/** The value of `revision` for an instance whose last change is not in the log yet. */
export const ahead = -2

/** Milliseconds after which an unused instance may be closed. */
const idleMs = 5 * 60_000
/** Milliseconds between two searches for unused instances. */
const sweepMs = 30_000
const now = () => performance.now()
const ignore = () => {}

/** Whether the instance was unused for a while, runs nothing, and would come back in the same state. */
const isIdle = ({ instance, revision, usedAt, isUnkept }: Entry): boolean =>
  instance.recovery !== 'none' && !isUnkept && revision !== ahead && now() - usedAt > idleMs

/** Keeps promises until they have settled. */
const createUnderWay = () => {
  const works = new Set<Promise<unknown>>()
  return {
    isNone: (): boolean => works.size === 0,
    add<T>(work: Promise<T>): Promise<T> {
      const over: Promise<unknown> = work.then(ignore, ignore).then(() => works.delete(over))
      works.add(over)
      return work
    },
    settled: (): Promise<unknown> => Promise.all(works),
  }
}

export const createOpenInstances = (timers: Timers) => {
  const entries = new Map<string, Entry>()
  /** Instances that are being opened or closed. */
  const underWay = createUnderWay()
  let isStopped = false

  const drop = async (stream: string): Promise<void> => {
    const entry = entries.get(stream)
    if (entry === undefined) return
    entries.delete(stream)
    await underWay.add(entry.instance.close())
  }
  const stopSweeping = timers.every(sweepMs, () => {
    for (const [stream, entry] of entries) if (isIdle(entry)) void drop(stream)
  })

  const register = async (stream: string, work: Promise<Instance>, revision: number): Promise<Entry> => {
    const instance = await work
    if (isStopped) {
      await instance.close()
      throw new SessionLost('the server is stopping')
    }
    const entry = { instance, revision, usedAt: now(), isOlder: false, isUnkept: false, isGone: false }
    entries.set(stream, entry)
    void instance.gone.then(() => {
      entry.isGone = true
    })
    return entry
  }

  return {
    /** Registers an instance once it is open. If the service has stopped meanwhile, closes it instead. */
    track: (stream: string, work: Promise<Instance>, revision: number): Promise<Entry> =>
      underWay.add(register(stream, work, revision)),
    /**
     * The instance that matches this revision. One that matches another revision is useless and is closed, and so is one
     * that has ended and can come back.
     */
    async at(stream: string, revision: number): Promise<Entry | undefined> {
      const known = entries.get(stream)
      if (known === undefined) return undefined
      const isOver = known.isGone && known.instance.recovery !== 'none'
      if (known.revision !== revision || isOver) return drop(stream).then(() => undefined)
      known.usedAt = now()
      return known
    },
    isOlder: (stream: string): boolean => entries.get(stream)?.isOlder === true,
    /** Called after each event of a session. An instance that is ahead, or matched the previous event, matches it. */
    moved(stream: string, revision: number, isUnkept: boolean): void {
      const entry = entries.get(stream)
      if (entry === undefined) return
      // Only an event that comes while the instance is ahead records a change of the instance. An intent records none.
      if (entry.revision === ahead) Object.assign(entry, { isUnkept, isOlder: false })
      if (entry.revision === ahead || entry.revision === revision - 1) entry.revision = revision
      entry.usedAt = now()
    },
    /** Called when the environment refused a request. An instance that cannot be rebuilt counts as unchanged. */
    still(stream: string, revision: number): void {
      const entry = entries.get(stream)
      if (entry?.instance.recovery === 'none') entry.revision = revision
    },
    /** Called when the actor leaves memory. Closes an instance that is ahead of the log, since it cannot be used. */
    release(stream: string): void {
      if (entries.get(stream)?.revision === ahead) void drop(stream)
    },
    drop,
    areNone: (): boolean => entries.size === 0 && underWay.isNone(),
    /** Closes all open instances. Resolves when they are closed and all other openings and closings have ended. */
    async dropAll(): Promise<void> {
      await Promise.all([...entries.keys()].map(drop))
      await underWay.settled()
    },
    isStopped: () => isStopped,
    stop(): void {
      isStopped = true
      stopSweeping()
    },
  }
}
