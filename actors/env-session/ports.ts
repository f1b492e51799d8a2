// What sessions need of the world: where instances come from, and where their states are kept.
import type { Snapshot } from '../../src/contract/env-session-events.ts'
import type { EnvironmentSource, Instance, OpenObject } from '../../src/contract/environment.ts'

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
