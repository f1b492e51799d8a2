// Finds tasks that work in a folder that an erasure would remove. The folders of all tasks of a user are read once, and
// then only those of new tasks, until `forget`: a run of retention may remove the folders of many tasks in many parts.
import path from 'node:path'
import { userFolder, workspaceOf } from '../access/user-folders.ts'
import { taskEvents } from '../contract/decoders/task.ts'
import type { Log } from '../contract/stored.ts'
import { taskStream } from '../contract/task-stream.ts'
import { backgroundPause } from '../fairness/slices.ts'
import type { Erasable } from '../tasks/erasable.ts'
import type { Created } from './kin.ts'

type Deps = { log: Pick<Log, 'firstOf'>; rows: Pick<Erasable, 'ofUser'>; root: string }

export const createdOf = async ({ firstOf }: Deps['log'], stream: string): Promise<Created | undefined> => {
  const first = await firstOf(stream)
  const event = first && taskEvents.find(first)
  return event?.type === 'TaskCreated' ? event.data : undefined
}

/** A folder and the folders above it, up to the folder of the user. */
const wayTo = (folder: string, top: string): string[] => {
  const way = [folder]
  for (let at = folder; at !== top && at !== path.dirname(at); ) {
    at = path.dirname(at)
    way.push(at)
  }
  return way
}

/** `inside`: the tasks that work in a folder or below it. `own`: those that work in the folder itself. */
type Known = {
  upTo: number
  folders: Map<string, string>
  inside: Map<string, Set<string>>
  own: Map<string, Set<string>>
}

const put = (sets: Map<string, Set<string>>, key: string, id: string): void => {
  const known = sets.get(key)
  if (known === undefined) sets.set(key, new Set([id]))
  else known.add(id)
}
const take = (sets: Map<string, Set<string>>, key: string, id: string): void => {
  const known = sets.get(key)
  known?.delete(id)
  if (known?.size === 0) sets.delete(key)
}

export const createWorkspaces = ({ log, rows, root }: Deps) => {
  const pause = backgroundPause()
  const users = new Map<string, Known>()
  /** The users of the known tasks. */
  const owners = new Map<string, string>()

  const ofUser = async (userId: string): Promise<Known> => {
    const known = users.get(userId) ?? { upTo: 0, folders: new Map(), inside: new Map(), own: new Map() }
    users.set(userId, known)
    const top = userFolder(root, userId)
    for await (const { id, position } of rows.ofUser(userId, pause, known.upTo)) {
      known.upTo = Math.max(known.upTo, position)
      const created = known.folders.has(id) ? undefined : await createdOf(log, taskStream(id))
      if (created === undefined) continue
      const { workdir } = workspaceOf(root, created)
      owners.set(id, userId)
      known.folders.set(id, workdir)
      put(known.own, workdir, id)
      for (const folder of wayTo(workdir, top)) put(known.inside, folder, id)
      await pause()
    }
    return known
  }
  return {
    /** The id of a task of this user whose workspace is this folder, contains it, or is in it. */
    async taskIn(folder: string, userId: string): Promise<string | undefined> {
      const { own, inside } = await ofUser(userId)
      for (const id of inside.get(folder) ?? []) return id
      for (const above of wayTo(folder, userFolder(root, userId)))
        for (const id of own.get(above) ?? []) return id
      return undefined
    },
    /** Forgets a task, since it was erased. */
    remove(id: string): void {
      const userId = owners.get(id)
      const known = userId === undefined ? undefined : users.get(userId)
      const workdir = known?.folders.get(id)
      if (userId === undefined || known === undefined || workdir === undefined) return
      owners.delete(id)
      known.folders.delete(id)
      take(known.own, workdir, id)
      for (const folder of wayTo(workdir, userFolder(root, userId))) take(known.inside, folder, id)
    },
    forget(): void {
      users.clear()
      owners.clear()
    },
  }
}
