// Removes files and secrets of erased streams: folders of workspaces and environment sessions, rollouts, and log files.
import { existsSync } from 'node:fs'
import { rm, rmdir } from 'node:fs/promises'
import path from 'node:path'
import type { SessionFolders } from '../../actors/env-session/ports.ts'
import { isBelow, type Roots, taskFileOf, userFolder, workspaceOf } from '../access/user-folders.ts'
import { sessionEvents } from '../contract/decoders/env-session.ts'
import { isEnvSessionStream, sessionIdOf } from '../contract/events/env-session-events.ts'
import type { NotErased } from '../contract/events/erasure-events.ts'
import type { Log } from '../contract/stored.ts'
import { isTaskStream, taskIdOf } from '../contract/task-stream.ts'
import { backgroundPause } from '../fairness/slices.ts'
import { syncFolder } from '../platform/files/plain-file.ts'
import { removeFolder } from '../platform/files/remove-folder.ts'
import type { Secrets } from '../platform/secrets.ts'
import type { Erasable } from '../tasks/erasable.ts'
import type { TaskFiles } from '../tasks/files.ts'
import { temporaryName } from '../tools/put-file.ts'
import type { Created } from './kin.ts'
import { createdOf, createWorkspaces } from './workspaces.ts'

type Deps = {
  log: Pick<Log, 'readStream' | 'firstOf'>
  rows: Erasable
  roots: Roots
  folders: Pick<SessionFolders, 'clear' | 'dirOf'>
  secrets: Pick<Secrets, 'forget'>
  /** Writes the files of rollouts and logs in rounds. A running round may still write files of erased tasks. */
  saved: Pick<TaskFiles, 'atRest'>
}

/** The nearest existing folder above a removed path. The removal is durable when this folder is synced. */
const above = (at: string): string => {
  const folder = path.dirname(at)
  return existsSync(folder) ? folder : above(folder)
}

/** Removes folders that are empty now, up to the folder of the user. */
const removeEmpty = async (folder: string, top: string): Promise<void> => {
  for (let at = folder; at !== top && isBelow(top, at); at = path.dirname(at)) {
    const isGone = await rmdir(at).then(
      () => true,
      error => (error as { code?: string }).code === 'ENOENT',
    )
    if (!isGone) return
  }
}

/** The folders that earlier attempts have left and that still exist, and the folders that this attempt leaves. */
const stillLeft = (earlier: readonly NotErased[], left: readonly NotErased[]): NotErased[] => {
  const known = new Set(left.map(({ what }) => what))
  return [...earlier.filter(({ what }) => !known.has(what) && existsSync(what)), ...left]
}

/** `workspaces`: for each workspace, why it stays; undefined: it is removed. `removed`: the paths that were removed. */
type Attempt = { workspaces: Map<string, NotErased | undefined>; removed: string[] }

export const createErasedFiles = ({ log, rows, roots, folders, secrets, saved }: Deps) => {
  const pause = backgroundPause()
  const workspaces = createWorkspaces({ log, rows, root: roots.workspace })
  const workdirOf = (created: Created): string => workspaceOf(roots.workspace, created).workdir

  const removeSaved = async ({ user_id, task_id, request }: Created, { removed }: Attempt): Promise<void> => {
    for (const [root, folder] of [
      [roots.rollouts, request.rollout_save_dir],
      [roots.logs, request.log_dir],
    ] as const) {
      if (!folder) continue
      const file = taskFileOf(root, { user_id, task_id, folder })
      // A crash may have left a part of the file under the name with which it was being written.
      const unfinished = path.join(path.dirname(file), temporaryName(task_id))
      for (const each of [file, unfinished]) await rm(each, { force: true })
      removed.push(file)
      await removeEmpty(path.dirname(file), userFolder(root, user_id))
    }
  }
  const ofTask = async (stream: string, attempt: Attempt): Promise<void> => {
    const { removed } = attempt
    const created = await createdOf(log, stream)
    if (created === undefined) return // an earlier attempt has removed everything
    for (const ref of [created.secret_ref, created.webhook_secret_ref])
      if (ref !== undefined) secrets.forget(ref)
    await removeSaved(created, attempt)
    const folder = workdirOf(created)
    if (attempt.workspaces.has(folder) || !existsSync(folder)) return
    const other = await workspaces.taskIn(folder, created.user_id)
    const left = { what: folder, why: `the task ${other} works in this folder, too` }
    attempt.workspaces.set(folder, other === undefined ? undefined : left)
    if (other !== undefined) return
    await removeFolder(folder)
    removed.push(folder)
  }
  const ofSession = async (stream: string, { removed }: Attempt): Promise<void> => {
    const session_id = sessionIdOf(stream)
    for await (const page of log.readStream(stream)) {
      for (const { type, data } of page.flatMap(event => sessionEvents.find(event) ?? [])) {
        if ('secret_ref' in data && data.secret_ref !== undefined) secrets.forget(data.secret_ref)
        if (type !== 'EnvSessionCreated') continue
        const session = { session_id, user_id: data.user_id }
        await folders.clear(session)
        removed.push(path.dirname(folders.dirOf(session)))
      }
    }
  }

  /**
   * Removes the files of these streams for good. The read models must already have marked the tasks as erased.
   * `earlier`: the folders that earlier attempts left. Resolves to the folders that stay, since other tasks use them.
   */
  const remove = async (
    streams: readonly string[],
    earlier: readonly NotErased[] = [],
  ): Promise<NotErased[]> => {
    await saved.atRest()
    for (const stream of streams.filter(isTaskStream)) workspaces.remove(taskIdOf(stream))
    const attempt: Attempt = { workspaces: new Map(), removed: [] }
    for (const stream of streams) {
      if (isTaskStream(stream)) await ofTask(stream, attempt)
      if (isEnvSessionStream(stream)) await ofSession(stream, attempt)
      await pause()
    }
    const changed = new Set<string>()
    for (const each of attempt.removed) {
      changed.add(above(each))
      await pause()
    }
    for (const folder of changed) await syncFolder(folder)
    return stillLeft(
      earlier,
      [...attempt.workspaces.values()].flatMap(left => left ?? []),
    )
  }
  /** `forget`: drops what is kept in memory for further calls. */
  return { remove, forget: workspaces.forget }
}
