// Copies the kept states of environment sessions into a backup, and back. A folder beside the copied log, whose name
// begins with the name of the backup, holds the states that this log names. The file names of states are unique, so a
// restore replaces no other file of the data folder.
import { constants, copyFileSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { OwnedSession } from '../../../actors/env-session/ports.ts'
import { sessionEvents } from '../../contract/decoders/env-session.ts'
import { isEnvSessionStream, type Snapshot } from '../../contract/events/env-session-events.ts'
import { copyKeptState, partsOfState } from '../../env-sessions/copy-state.ts'
import { folderOfSession } from '../../env-sessions/folders.ts'
import { emptySession, evolveSession } from '../../history/env-session.ts'
import type { ReadOnlyLog } from '../../log/read-only.ts'
import { syncFile } from '../../platform/files/plain-file.ts'

/** The path of the folder with the states of a backup. */
export const statesOf = (backup: string): string => `${path.resolve(backup)}.states`

type Named = { session: OwnedSession; snapshot: Snapshot }

const namedIn = async (log: ReadOnlyLog): Promise<Named[]> => {
  const named: Named[] = []
  for await (const stream of log.streams()) {
    if (!isEnvSessionStream(stream)) continue
    const view = emptySession()
    for await (const page of log.readStream(stream)) {
      for (const event of page.flatMap(each => sessionEvents.find(each) ?? [])) evolveSession(view, event)
    }
    const { state, created: session, snapshot } = view
    if (state === 'active' && session !== undefined && snapshot !== undefined)
      named.push({ session, snapshot })
  }
  return named
}

const isFolder = (at: string): boolean => lstatSync(at, { throwIfNoEntry: false })?.isDirectory() === true

/** The names of the plain files of a folder. Links are left out, since they could lead anywhere. */
const filesIn = (folder: string): string[] =>
  isFolder(folder)
    ? readdirSync(folder, { withFileTypes: true })
        .filter(entry => entry.isFile())
        .map(({ name }) => name)
    : []

/** Makes a folder below `root`. Removes links in its path: a program of the session may have made them. */
const makeFolder = (root: string, ...names: string[]): string =>
  names
    .join(path.sep)
    .split(path.sep)
    .reduce((above, name) => {
      const folder = path.join(above, name)
      if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(folder)
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      return folder
    }, root)

/** Ends with a rename for each file, so that no link is followed, and a file that is there stays whole until then. */
const copyInto = (from: string, to: string, names: string[]): void => {
  for (const name of names) {
    const part = path.join(to, `${name}.part`)
    rmSync(part, { force: true })
    try {
      copyFileSync(path.join(from, name), part, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
      syncFile(part)
      renameSync(part, path.join(to, name))
    } finally {
      rmSync(part, { force: true })
    }
  }
  syncFile(to)
}

/** Copies the states that the log names from `root` to `to`. Resolves to the number of sessions. */
export const copyStates = async (log: ReadOnlyLog, root: string, to: string): Promise<number> => {
  let copied = 0
  for (const { session, snapshot } of await namedIn(log)) {
    const into = folderOfSession(to, session)
    if (await copyKeptState(folderOfSession(root, session), into, snapshot.file)) copied++
    // The session has ended since the log was copied, so its state is gone.
    else rmSync(into, { recursive: true, force: true })
  }
  return copied
}

/** Adds the states in the folder `from` to the states below `root`. Returns the number of added sessions. */
export const addStates = (from: string, root: string): number => {
  if (!isFolder(from)) return 0
  mkdirSync(root, { recursive: true, mode: 0o700 })
  let added = 0
  for (const user of readdirSync(from)) {
    for (const session of readdirSync(path.join(from, user))) {
      for (const part of [partsOfState.states, partsOfState.packs]) {
        const names = filesIn(path.join(from, user, session, part))
        if (names.length > 0)
          copyInto(path.join(from, user, session, part), makeFolder(root, user, session, part), names)
      }
      added++
    }
  }
  return added
}
