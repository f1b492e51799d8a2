// Keeps the environment instances of this process, by session. An instance stays open when its actor leaves memory.
// An instance that does not match the log of its session is discarded and rebuilt from the log.
import type { EnvironmentSource, Instance, Observed } from '../../src/contract/environment.ts'
import type { Timers } from '../../src/contract/ports.ts'
import type { Log } from '../../src/contract/stored.ts'
import type { SessionView } from '../../src/history/env-session.ts'
import { bringBack } from './bring-back.ts'
import { ahead, createOpenInstances, type Entry } from './open-instances.ts'
import type { Environments, Given, OwnedSession, SessionFolders, Troubles } from './ports.ts'

/** Ended sessions whose files `remove` deletes. The removals of one session run one after another. */
const createRemovals = (remove: (stream: string, session: OwnedSession) => Promise<void>) => {
  const removals = new Map<string, Promise<void>>()
  return {
    begin(stream: string, session: OwnedSession): void {
      const gone = (removals.get(stream) ?? Promise.resolve())
        .then(() => remove(stream, session))
        .catch(() => {}) // a later removal deletes what is left
        .finally(() => {
          if (removals.get(stream) === gone) removals.delete(stream)
        })
      removals.set(stream, gone)
    },
    /** Resolves when all removals of the session have ended. */
    ended: async (stream: string): Promise<void> => removals.get(stream),
    all: (): Promise<void>[] => [...removals.values()],
  }
}

type Deps = {
  environments: Environments
  folders: SessionFolders
  /** The size, in bytes, of the largest file that an environment of this user may write; undefined: no limit. */
  longestFile: (user: string) => number | undefined
  log: Log
  timers: Timers
  /** Finds the secret values of a reference, such as a session's `env_vars`; undefined when they are gone. */
  secrets: (ref: string) => Record<string, unknown> | undefined
  /** Sessions that do not come back for now. */
  troubles: Troubles
}

export const createInstances = ({
  environments,
  folders,
  longestFile,
  log,
  timers,
  secrets,
  troubles,
}: Deps) => {
  const open = createOpenInstances(timers)
  const removals = createRemovals((stream, session) => {
    troubles.forget(session.session_id)
    return open.drop(stream).then(() => folders.clear(session))
  })
  const placeOf = (session: OwnedSession) => ({
    dir: folders.dirOf(session),
    fileBytes: longestFile(session.user_id),
  })
  const bringing = { environments, folders, log, secrets, placeOf, troubles, isStopped: open.isStopped }

  const find = async (stream: string, view: SessionView): Promise<Entry> => {
    const known = await open.at(stream, view.revision)
    if (known !== undefined) return known
    const entry = await open.track(stream, bringBack(bringing, stream, view), view.revision)
    entry.isOlder = view.isUnkept
    return entry
  }

  return {
    /**
     * Makes sure that the session has its instance, and brings it back if necessary. Rejects with SessionLost. Returns
     * what the instance shows if its state is older than the end of the log; else undefined.
     */
    async look(stream: string, view: SessionView): Promise<Observed | undefined> {
      const { instance, isOlder } = await find(stream, view)
      return isOlder ? instance.observe() : undefined
    },
    /** Returns the instance for a change. Until the events of the change are stored, it counts as ahead of the log. */
    async of(stream: string, view: SessionView): Promise<Instance> {
      const entry = await find(stream, view)
      entry.revision = ahead
      return entry.instance
    },
    /**
     * Opens a new instance and closes the old one. The new one counts as ahead of the log until its first event is
     * stored.
     */
    async open(
      stream: string,
      session: OwnedSession,
      source: EnvironmentSource,
      given: Pick<Given, 'kwargs' | 'env_vars'>,
    ): Promise<Instance> {
      await removals.ended(stream)
      await open.drop(stream)
      await folders.clear(session)
      const work = environments.open(source, { ...given, ...placeOf(session) }, session.user_id)
      return (await open.track(stream, work, ahead)).instance
    },
    isOlder: open.isOlder,
    moved: open.moved,
    still: open.still,
    release: open.release,
    drop: open.drop,
    keep: folders.keep,
    isBackupMade: folders.isBackupMade,
    /** Removes the instance and files of an ended session. A new instance under this id is opened only then. */
    remove: removals.begin,
    removed: removals.ended,
    isStopped: open.isStopped,
    async stop(): Promise<void> {
      open.stop()
      while (!open.areNone() || removals.all().length > 0) {
        await open.dropAll()
        await Promise.all(removals.all())
      }
    },
  }
}
export type Instances = ReturnType<typeof createInstances>
