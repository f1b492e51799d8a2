// The instances of environments that live in this process, by session. They outlive their actors, which leave memory
// sooner; one that is not where its session's log is, is worth nothing and is made anew from the log.
import { sessionEvents } from '../../src/contract/decoders/env-session.ts'
import type { EnvSessionEventData, Snapshot } from '../../src/contract/env-session-events.ts'
import {
  EnvironmentGone,
  type EnvironmentSource,
  type Instance,
  type Observed,
  type OpenObject,
} from '../../src/contract/environment.ts'
import type { Timers } from '../../src/contract/ports.ts'
import { Refusal } from '../../src/contract/refusals.ts'
import type { Log } from '../../src/contract/stored.ts'
import type { SessionView } from '../../src/history/env-session.ts'

export type Given = {
  kwargs: OpenObject
  env_vars: Record<string, string>
  dir: string
  /** No file that it makes may be longer; undefined: any may. */
  fileBytes?: number | undefined
}
/** Where instances come from. */
export type Environments = {
  resolve(
    envId: string | undefined,
    classPath: string | undefined,
  ): Promise<{ source: EnvironmentSource } | { refused: string; message: string }>
  /** Waits while too many are being opened; users take turns. */
  open(source: EnvironmentSource, given: Given, user: string): Promise<Instance>
}
/** A session and its user, as its events name them. */
export type OwnedSession = { session_id: string; user_id: string }

/** States beside a new one: that before it, and whether older ones stay. */
export type Others = { before: Snapshot | undefined; keepOld: boolean }

/** Where their states are kept, and what they may write. */
export type SessionFolders = {
  /** The session's own folder. */
  dirOf(session: OwnedSession): string
  /** Keeps a state beside the one before, which counts until the log has moved; older ones go, unless they are held. */
  keep(session: OwnedSession, step: number, state: unknown, others: Others): Promise<Snapshot>
  /** Whether a backup is being made, which needs what was kept when it began. */
  isBackupMade(): Promise<boolean>
  /** A kept state; undefined when it is not there, or is another. */
  kept(session: OwnedSession, snapshot: Snapshot): Promise<unknown>
  /** Nothing of the session is left on the disk. */
  clear(session: OwnedSession): Promise<void>
  /** Nothing is left of any session but these. */
  clearOthers(sessions: OwnedSession[]): Promise<void>
}

/** The session cannot come back, and why. */
export class SessionLost extends Error {}

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

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

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

  /** The variables of a session, or those of one of its steps. */
  const valuesOf = ({ secret_ref }: { secret_ref?: string }): Record<string, string> => {
    if (secret_ref === undefined) return {}
    const values = secrets(secret_ref)?.env_vars
    if (values === undefined) throw new SessionLost('secret_missing')
    return values as Record<string, string>
  }

  /** Does again what was recorded since the newest reset, and checks that the same is seen. */
  const refold = async (stream: string, instance: Instance): Promise<void> => {
    type Reset = { seed: number; options: OpenObject; now: number }
    let reset: Reset | undefined
    let before = 0
    let steps: EnvSessionEventData<'EnvStepCompleted'>[] = []
    let seen: unknown
    for await (const page of log.readStream(stream)) {
      for (const { type, data } of page.map(sessionEvents.read)) {
        if (type === 'EnvSessionCreated' || type === 'EnvSessionReset') {
          const { seed, now, observation, steps_before } = data
          reset = { seed, now, options: type === 'EnvSessionReset' ? data.options : {} }
          before = steps_before ?? 0
          steps = []
          seen = observation
        }
        if (type === 'EnvStepCompleted') steps.push(data)
      }
    }
    if (reset === undefined) throw new SessionLost('the log has no beginning of it')
    const mismatch = (where: string) =>
      new SessionLost(`done again, the environment shows something else at ${where}`)
    const first = await instance.reset(reset)
    if (!same(first.observation, seen)) throw mismatch('its reset')
    let { state: here } = first
    for (const done of steps) {
      const { step, tool_name, tool_args, now, observation, state, stopped } = done
      // A step that was stopped and left nothing behind is none; else it is done again, and must leave the same.
      if (stopped === true && same(state, here)) continue
      const drawn = { seed: reset.seed, number: step - before, now }
      const given = { tool: tool_name, args: tool_args, ...drawn, env_vars: valuesOf(done) }
      const answer = await instance.step(given, { emit() {}, signal: new AbortController().signal })
      const [shown, was] = stopped === true ? [answer.state, state] : [answer.observation, observation]
      if (!same(shown, was)) throw mismatch(`step ${step}`)
      here = answer.state
    }
  }

  const bringBack = async (stream: string, view: SessionView): Promise<Instance> => {
    const { created } = view
    if (created === undefined) throw new SessionLost('it was never created')
    const { source, recovery, kwargs } = created
    if (recovery === 'none') throw new SessionLost('an environment of this kind does not come back')
    const found = await environments.resolve(undefined, source.name)
    // The operator can mend it: the session waits for that.
    if ('refused' in found && found.refused === 'unavailable') {
      throw new Refusal('EnvNotFound', undefined, found.message)
    }
    if (!('source' in found)) throw new SessionLost(`its environment ${source.name} is not there any more`)
    if (found.source.digest !== source.digest) throw new SessionLost(`code changed: ${source.name}`)
    const state = view.snapshot === undefined ? undefined : await folders.kept(created, view.snapshot)
    if (recovery === 'snapshot' && state === undefined) throw new SessionLost('its state was not kept')
    const given = { kwargs, env_vars: valuesOf(created), ...placeOf(created) }
    const instance = await environments.open(found.source, given, created.user_id).catch(error => {
      // A disk that is full, or the like, is a trouble of the moment.
      throw error.syscall === undefined ? new SessionLost(`it does not come back: ${error.message}`) : error
    })
    try {
      if (recovery === 'snapshot') await instance.restore(state)
      else await refold(stream, instance)
      return instance
    } catch (error) {
      await instance.close()
      if (error instanceof EnvironmentGone || error instanceof SessionLost) throw error
      throw new SessionLost(`it does not come back: ${(error as Error).message}`)
    }
  }

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
    const entry = await tracked(stream, bringBack(stream, view), view.revision)
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
