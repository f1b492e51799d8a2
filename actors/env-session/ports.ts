// What environment sessions need from outside: a source of instances, and folders for their files and states.

import type { EnvironmentSource, Instance, OpenObject } from '../../src/contract/environment.ts'
import type { Snapshot } from '../../src/contract/events/env-session-events.ts'

export type Given = {
  kwargs: OpenObject
  env_vars: Record<string, string>
  dir: string
  /** The size, in bytes, of the largest file that the instance may write; undefined: no limit. */
  fileBytes?: number | undefined
}
/** Finds environments and opens their instances. */
export type Environments = {
  resolve(
    envId: string | undefined,
    classPath: string | undefined,
  ): Promise<{ source: EnvironmentSource } | { refused: string; message: string }>
  /** Opens an instance. Waits while too many instances are being opened; the users that wait take turns. */
  open(source: EnvironmentSource, given: Given, user: string): Promise<Instance>
}
/** A session and its user, as its events name them. */
export type OwnedSession = { session_id: string; user_id: string }

/** `before`: the state before the new one. `keepOld`: states that are older than `before` stay, too. */
export type Others = { before: Snapshot | undefined; keepOld: boolean }

/** The folders of sessions, with the files that they write and their kept states. */
export type SessionFolders = {
  /** The session's own folder. */
  dirOf(session: OwnedSession): string
  /**
   * Keeps a new state. The state before it stays on the disk, because that state is valid until the log names the new
   * one. Older states are deleted unless `keepOld` is set.
   */
  keep(session: OwnedSession, step: number, state: unknown, others: Others): Promise<Snapshot>
  /** Whether a backup is being made. It needs the states that were kept when it began. */
  isBackupMade(): Promise<boolean>
  /**
   * A kept state. Rejects with SessionLost when the file is not the state that the snapshot names, and with the error of
   * the system when the file cannot be read.
   */
  kept(session: OwnedSession, snapshot: Snapshot): Promise<unknown>
  /** Copies a kept state to another session. False: the state is not there any more. */
  copyState(from: OwnedSession, to: OwnedSession, snapshot: Snapshot): Promise<boolean>
  /** Removes everything of the session from the disk. */
  clear(session: OwnedSession): Promise<void>
  /** Takes everything away from the folder of sessions that belongs to other sessions than these. */
  clearOthers(sessions: OwnedSession[]): Promise<void>
}

/** Sessions that do not come back for now. The operator gets a line when that begins, and one when it is over. */
export type Troubles = {
  met(session_id: string, reason: string, fields: Record<string, unknown>): void
  over(session_id: string, fields: Record<string, unknown>): void
  /** The session has ended. */
  forget(session_id: string): void
}

/** The session can never come back, whatever anybody does; the message says why. */
export class SessionLost extends Error {}
