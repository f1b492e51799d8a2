// Earlier versions resolved `workspace_dir` and `rollout_save_dir` below roots that all users shared. The first start
// of this version moves the files of tasks into the folders of their users, before any task is resumed. Each move is a
// rename, so when a start is killed, the next start moves the rest. A place that several users may have used is not
// moved, and the operator gets a warning.
import { existsSync } from 'node:fs'
import { lstat, mkdir, readdir, realpath, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { isBelow, type Roots, segment, taskFileOf, userFolder } from '../access/user-folders.ts'
import { taskEvents } from '../contract/decoders/task.ts'
import type { Report } from '../contract/ports.ts'
import type { Log } from '../contract/stored.ts'

type Left = { folder: string; why: string }
type Used = Map<string, Set<string>>

const add = (used: Used, place: string, user: string): void => {
  const users = used.get(place) ?? new Set()
  used.set(place, users.add(user))
}
/** A relative path and the paths above it: a, a/b, a/b/c. */
const prefixes = (place: string): string[] => {
  const names = place.split(path.sep)
  return names.map((_, index) => names.slice(0, index + 1).join(path.sep))
}
const isOnly = (users: ReadonlySet<string> | undefined, user: string): boolean =>
  [...(users ?? [])].every(other => other === user)

type Found = {
  users: Set<string>
  /** The users of each place outside of the folders of users. The key is the path relative to the workspace root. */
  places: Used
  /** Files of rollouts: their old and new paths. */
  files: { from: string; to: string }[]
}

/** Reads the whole log, and returns the places and files that tasks of earlier versions used. */
const look = async (log: Log, roots: Roots): Promise<Found> => {
  const found: Found = { users: new Set(), places: new Map(), files: [] }
  for await (const page of log.readAll()) {
    for (const stored of page) {
      if (stored.header.owner !== '') found.users.add(stored.header.owner)
      const event = taskEvents.find(stored)
      if (event?.type !== 'TaskCreated') continue
      const { task_id, user_id, workdir, request } = event.data
      if (isBelow(roots.workspace, workdir) && !isBelow(userFolder(roots.workspace, user_id), workdir)) {
        add(found.places, path.relative(roots.workspace, workdir), user_id)
      }
      const folder = request.rollout_save_dir
      if (!folder) continue
      const from = path.join(path.resolve(roots.rollouts, folder), `${segment(task_id)}.jsonl`)
      const to = taskFileOf(roots.rollouts, { user_id, task_id, folder })
      if (isBelow(roots.rollouts, from) && from !== to) found.files.push({ from, to })
    }
  }
  return found
}

const isThere = async (at: string): Promise<boolean> => {
  try {
    await lstat(at)
    return true
  } catch {
    return false
  }
}

/** Moves a folder or a file. Resolves to `nothing` when there is none, and to the reason when it could not be moved. */
const move = async (
  root: string,
  from: string,
  to: string,
): Promise<'moved' | 'nothing' | { why: string }> => {
  if (!(await isThere(from))) return 'nothing'
  const real = path.join(await realpath(root), path.relative(root, from))
  if ((await realpath(from)) !== real) return { why: 'its path contains a symbolic link' }
  if (await isThere(to)) return { why: `${to} already exists` }
  await mkdir(path.dirname(to), { recursive: true })
  await rename(from, to)
  return 'moved'
}
const attempt = (work: ReturnType<typeof move>): ReturnType<typeof move> =>
  work.catch(error => ({ why: (error as Error).message }))

const moveWorkspaces = async (
  root: string,
  { users, places }: Found,
): Promise<{ moved: number; left: Left[] }> => {
  const left: Left[] = []
  let moved = 0
  const own: Used = new Map()
  for (const user of users) add(own, segment(user), user)
  /** The users of each place and of everything below it. */
  const below: Used = new Map()
  for (const used of [own, places])
    for (const [place, those] of used)
      for (const above of prefixes(place)) for (const user of those) add(below, above, user)

  const free = (place: string, user: string): boolean =>
    isOnly(below.get(place), user) &&
    prefixes(place).every(above => isOnly(places.get(above), user) && isOnly(own.get(above), user))

  // Outer folders come first, since inner folders are moved together with them.
  for (const [place, those] of [...places].sort(([a], [b]) => a.length - b.length)) {
    if (place === '') continue
    const from = path.join(root, place)
    const [user = ''] = those
    if (!free(place, user)) {
      if (await isThere(from)) left.push({ folder: from, why: 'several users may have files in it' })
      continue
    }
    const outcome = await attempt(move(root, from, path.join(userFolder(root, user), place)))
    if (outcome === 'moved') moved++
    else if (outcome !== 'nothing') left.push({ folder: from, why: outcome.why })
  }
  // Tasks that worked in the root itself left their files beside the folders of users.
  if (places.has('')) {
    const named = new Set(left.map(({ folder }) => folder))
    for (const name of await readdir(root).catch(() => [])) {
      const folder = path.join(root, name)
      if (!own.has(name) && !named.has(folder)) left.push({ folder, why: 'tasks worked in the root itself' })
    }
  }
  return { moved, left }
}

const moveRollouts = async (root: string, { files }: Found): Promise<{ moved: number; left: Left[] }> => {
  const left: Left[] = []
  let moved = 0
  for (const { from, to } of files) {
    await rm(`${from}.new`, { force: true }).catch(() => {}) // incomplete: an earlier version was killed
    const outcome = await attempt(move(root, from, to))
    if (outcome === 'moved') moved++
    else if (outcome !== 'nothing') left.push({ folder: from, why: outcome.why })
    // Removes folders that are empty now.
    for (let folder = path.dirname(from); folder !== root; folder = path.dirname(folder)) {
      if (
        !(await rmdir(folder).then(
          () => true,
          () => false,
        ))
      )
        break
    }
  }
  return { moved, left }
}

/** The largest number of folders and files that the warning names. */
const maxNamed = 20

type Deps = { log: Log; roots: Roots; mark: string; report: Report }

/** Moves the files of a data folder, unless the file `mark` exists. Writes the result to `mark` afterwards. */
export const bringFilesHome = async ({ log, roots, mark, report }: Deps): Promise<void> => {
  if (existsSync(mark)) return
  try {
    const isNew = log.head() === 0 || !(existsSync(roots.workspace) || existsSync(roots.rollouts))
    const found = isNew ? undefined : await look(log, roots)
    const workspaces = found && (await moveWorkspaces(roots.workspace, found))
    const rollouts = found && (await moveRollouts(roots.rollouts, found))
    const moved = (workspaces?.moved ?? 0) + (rollouts?.moved ?? 0)
    const left = [...(workspaces?.left ?? []), ...(rollouts?.left ?? [])]
    await writeFile(mark, `${JSON.stringify({ moved, left }, undefined, 2)}\n`, { mode: 0o600, flush: true })
    if (moved > 0)
      report('info', `${moved} folders or files of tasks were moved into the folders of their users`)
    if (left.length > 0) {
      const shown = left.slice(0, maxNamed)
      report(
        'warn',
        `${left.length} folders or files of earlier versions were left where they are, and tasks do not reach them any more: move what belongs to a user into the user's own folder below the same root; ${mark} lists them all`,
        { left: shown },
      )
    }
  } catch (error) {
    report('warn', 'the files of earlier versions could not be moved: the next start tries again', {
      error: String(error),
    })
  }
}
