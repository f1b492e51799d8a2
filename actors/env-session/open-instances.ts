// The instances that are open, each with where it stands beside the log of its session. One that nobody has used for a
// while is closed, unless it would not come back as it is.
import type { Instance } from '../../src/contract/environment.ts'
import type { Timers } from '../../src/contract/ports.ts'
import { SessionLost } from './ports.ts'

export type Entry = {
  instance: Instance
  /** The revision of the session's stream at which it stands. */
  revision: number
  usedAt: number
  /** It came back from an older state than the log ends with, and has done nothing since. */
  isOlder: boolean
  /** What it has done last is not kept: it would come back from an older state. */
  isUnkept: boolean
}
/** The revision of an instance that has done what is not in the log yet. */
export const ahead = -2

const idleMs = 5 * 60_000
const sweepMs = 30_000
const now = () => performance.now()

/** Nobody has used it for a while, it is not at work, and it would come back as it is. */
const isIdle = ({ instance, revision, usedAt, isUnkept }: Entry): boolean =>
  instance.recovery !== 'none' && !isUnkept && revision !== ahead && now() - usedAt > idleMs

export const createOpenInstances = (timers: Timers) => {
  const entries = new Map<string, Entry>()
  /** Instances that are being opened or closed. */
  const underWay = new Set<Promise<void>>()
  let isStopped = false

  const drop = async (stream: string): Promise<void> => {
    const entry = entries.get(stream)
    if (entry === undefined) return
    entries.delete(stream)
    const closed = entry.instance.close().finally(() => underWay.delete(closed))
    underWay.add(closed)
    await closed
  }
  const stopSweeping = timers.every(sweepMs, () => {
    for (const [stream, entry] of entries) if (isIdle(entry)) void drop(stream)
  })

  return {
    /** An instance counts as open from the moment it is there; when the service has stopped meanwhile, it is closed. */
    async track(stream: string, work: Promise<Instance>, revision: number): Promise<Entry> {
      const under = work.then(
        () => {},
        () => {},
      )
      underWay.add(under)
      try {
        const instance = await work
        if (!isStopped) {
          const entry = { instance, revision, usedAt: now(), isOlder: false, isUnkept: false }
          entries.set(stream, entry)
          return entry
        }
        await instance.close()
        throw new SessionLost('the service stops')
      } finally {
        underWay.delete(under)
      }
    },
    /** The instance that stands at this revision; one that stands elsewhere is worth nothing and is closed. */
    async at(stream: string, revision: number): Promise<Entry | undefined> {
      const known = entries.get(stream)
      if (known === undefined) return undefined
      if (known.revision !== revision) return drop(stream).then(() => undefined)
      known.usedAt = now()
      return known
    },
    isOlder: (stream: string): boolean => entries.get(stream)?.isOlder === true,
    /** The log of the session has moved, and its instance with it. */
    moved(stream: string, revision: number, isUnkept: boolean): void {
      const entry = entries.get(stream)
      if (entry === undefined) return
      // Only an event that comes when it is ahead says what the instance has done: the intent of a step does not.
      if (entry.revision === ahead) Object.assign(entry, { isUnkept, isOlder: false })
      if (entry.revision === ahead || entry.revision === revision - 1) entry.revision = revision
      entry.usedAt = now()
    },
    /** What was asked was refused: an instance that cannot be made again is taken to stand where it stood. */
    still(stream: string, revision: number): void {
      const entry = entries.get(stream)
      if (entry?.instance.recovery === 'none') entry.revision = revision
    },
    /** The actor goes: an instance that has done what was never stored is worth nothing. */
    letGo(stream: string): void {
      if (entries.get(stream)?.revision === ahead) void drop(stream)
    },
    drop,
    areNone: (): boolean => entries.size + underWay.size === 0,
    /** Closes all that are open; resolves when these are closed, and what was under way before is over. */
    async dropAll(): Promise<void> {
      await Promise.all([...entries.keys()].map(drop))
      await Promise.all(underWay)
    },
    isStopped: () => isStopped,
    stop(): void {
      isStopped = true
      stopSweeping()
    },
  }
}
