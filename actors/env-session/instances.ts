// The instances of environments that live in this process, by session. They outlive their actors, which leave memory
// sooner; one that is not where its session's log is, is worth nothing and is made anew from the log.
import type { EnvironmentSource, Instance, Observed } from '../../src/contract/environment.ts'
import type { Timers } from '../../src/contract/ports.ts'
import type { Log } from '../../src/contract/stored.ts'
import type { SessionView } from '../../src/history/env-session.ts'
import { bringBack } from './bring-back.ts'
import {
  type Environments,
  type Given,
  type OwnedSession,
  type SessionFolders,
  SessionLost,
} from './ports.ts'

type Entry = {
  instance: Instance
  revision: number
  usedAt: number
  /** It came back from an older state than the log ends with, and has done nothing since. */
  isOlder: boolean
  /** What it has done last is not kept: it would come back from an older state. */
  isUnkept: boolean
}
/** Of an instance that has done what is not in the log yet. */
const ahead = -2

const idleMs = 5 * 60_000
const sweepMs = 30_000

type Parts = {
  environments: Environments
  folders: SessionFolders
  /** How long a file may be that an environment of this user makes; undefined: as long as it likes. */
  longestFile: (user: string) => number | undefined
  log: Log
  timers: Timers
  /** The values of a session's `env_vars`; undefined when they are gone. */
  secrets: (ref: string) => Record<string, unknown> | undefined
}

export const createInstances = ({ environments, folders, longestFile, log, timers, secrets }: Parts) => {
  const entries = new Map<string, Entry>()
  /** Sessions whose instance and files are going. */
  const leaving = new Map<string, Promise<void>>()
  const closing = new Set<Promise<void>>()
  const now = () => performance.now()
  const placeOf = (session: OwnedSession) => ({
    dir: folders.dirOf(session),
    fileBytes: longestFile(session.user_id),
  })
  const bringing = { environments, folders, log, secrets, placeOf }
  let stopped = false

  const drop = async (stream: string): Promise<void> => {
    const entry = entries.get(stream)
    if (entry === undefined) return
    entries.delete(stream)
    const closed = entry.instance.close().finally(() => closing.delete(closed))
    closing.add(closed)
    await closed
  }
  const stopSweeping = timers.every(sweepMs, () => {
    for (const [stream, { instance, revision, usedAt, isUnkept }] of entries) {
      // It would not come back as it is, or is at work.
      const isWanted = instance.recovery === 'none' || isUnkept || revision === ahead
      if (!isWanted && now() - usedAt > idleMs) void drop(stream)
    }
  })

  /** What is being opened is closed again when the service stops meanwhile; else it is known from that moment on. */
  const tracked = async (stream: string, work: Promise<Instance>, revision: number): Promise<Entry> => {
    const under = work.then(
      () => {},
      () => {},
    )
    closing.add(under)
    try {
      const instance = await work
      if (!stopped) {
        const entry = { instance, revision, usedAt: now(), isOlder: false, isUnkept: false }
        entries.set(stream, entry)
        return entry
      }
      await instance.close()
      throw new SessionLost('the service stops')
    } finally {
      closing.delete(under)
    }
  }

  const find = async (stream: string, view: SessionView): Promise<Entry> => {
    const known = entries.get(stream)
    if (known !== undefined && known.revision === view.revision) {
      known.usedAt = now()
      return known
    }
    if (known !== undefined) await drop(stream)
    const entry = await tracked(stream, bringBack(bringing, stream, view), view.revision)
    entry.isOlder = view.isUnkept
    return entry
  }

  return {
    /**
     * Makes sure that a session has its instance, brought back when it is not there. Rejects with SessionLost. The answer is
     * what is there to see where that is older than what the log tells.
     */
    async look(stream: string, view: SessionView): Promise<Observed | undefined> {
      const { instance, isOlder } = await find(stream, view)
      return isOlder ? instance.observe() : undefined
    },
    isOlder: (stream: string): boolean => entries.get(stream)?.isOlder === true,
    /** The same, to be moved: until its log has moved, too, it is ahead of it. */
    async of(stream: string, view: SessionView): Promise<Instance> {
      const entry = await find(stream, view)
      entry.revision = ahead
      return entry.instance
    },
    /** A new one; what was there is closed. It counts when its first event is stored. */
    async open(
      stream: string,
      session: OwnedSession,
      source: EnvironmentSource,
      given: Pick<Given, 'kwargs' | 'env_vars'>,
    ): Promise<Instance> {
      await leaving.get(stream)
      await drop(stream)
      await folders.clear(session)
      const opening = environments.open(source, { ...given, ...placeOf(session) }, session.user_id)
      return (await tracked(stream, opening, ahead)).instance
    },
    /** The log of the session has moved, and its instance with it. */
    moved(stream: string, revision: number, isUnkept: boolean): void {
      const entry = entries.get(stream)
      if (entry === undefined) return
      // Only an event that comes after `of` tells what the instance has done: the intent of a step does not.
      if (entry.revision === ahead) Object.assign(entry, { isUnkept, isOlder: false })
      if (entry.revision === ahead || entry.revision === revision - 1) entry.revision = revision
      entry.usedAt = now()
    },
    /** What was asked was refused: an instance that could not be made anew is taken to be where it was. */
    still(stream: string, revision: number): void {
      const entry = entries.get(stream)
      if (entry?.instance.recovery === 'none') entry.revision = revision
    },
    /** The actor goes: an instance that has done what was never stored is worth nothing. */
    letGo(stream: string): void {
      if (entries.get(stream)?.revision === ahead) void drop(stream)
    },
    drop,
    keep: folders.keep,
    isBackupMade: folders.isBackupMade,
    /** The session has ended: its instance and its files go, before anything of it may come again. */
    leave(stream: string, session: OwnedSession): void {
      const gone = (leaving.get(stream) ?? Promise.resolve())
        .then(() => drop(stream))
        .then(() => folders.clear(session))
        .catch(() => {}) // what cannot be removed now is removed with the next one
        .finally(() => {
          if (leaving.get(stream) === gone) leaving.delete(stream)
        })
      leaving.set(stream, gone)
    },
    /** Resolves when nothing is left of a session that has ended. */
    left: async (stream: string): Promise<void> => leaving.get(stream),
    isStopped: () => stopped,
    async stop(): Promise<void> {
      stopped = true
      stopSweeping()
      while (entries.size + leaving.size + closing.size > 0) {
        await Promise.all([...entries.keys()].map(drop))
        await Promise.all([...leaving.values(), ...closing])
      }
    },
  }
}
export type Instances = ReturnType<typeof createInstances>
