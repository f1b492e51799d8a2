// Finds everything else in which content of some tasks can be read: their callers and subagents, their forks, the tasks
// whose contexts quote them, and the environment sessions in which they took steps. Repeats this for the found tasks.
import type { ErasableTask } from '../../projections/tasks/ended-rows.ts'
import type { Log } from '../contract/stored.ts'
import type { Pause } from '../fairness/slices.ts'
import type { Erasable } from '../tasks/erasable.ts'
import { type Kin, readKin } from './kin.ts'

/** Why a task or a session must be erased together with a task that is erased. */
export type Why = 'its caller' | 'its subagent' | 'a fork of it' | 'quotes it' | 'its environment session'
/** `of`: the task on which the task or session `id` depends. */
export type Dependant = { id: string; of: string; why: Why }
/** All tasks to erase, and the streams of all sessions to erase. `dependants`: the ones that nobody asked to erase. */
export type Closure = {
  tasks: Map<string, ErasableTask>
  sessions: Set<string>
  dependants: { tasks: Dependant[]; sessions: Dependant[] }
}

type Deps = { log: Pick<Log, 'readStream'>; rows: Erasable; pause: Pause }

/** What depends on a task: other tasks, and the streams of environment sessions. */
type Found = { tasks: readonly Dependant[]; sessions: readonly string[] }

const nothing: readonly never[] = []
const sessionOf = ({ user_id, session_id }: ErasableTask): string => JSON.stringify([user_id, session_id])
const listOf = <T>(set: ReadonlySet<T>): readonly T[] => (set.size === 0 ? nothing : [...set])

/**
 * Knows which tasks depend on which other tasks, for all tasks that it was asked about. It reads the events of a task
 * that has ended only once, since they no longer say anything new. What has come since is found after `lookAgain`.
 */
export const createKinIndex = ({ log, rows, pause }: Deps) => {
  const dependants = new Map<string, Dependant[]>()
  /** The tasks whose callers, originals and quotes are known. */
  const known = new Set<string>()
  /** The tasks whose events were all read. */
  const whole = new Map<string, Found>()
  /** The tasks of which all events will be read. */
  const expected = new Set<string>()
  /** The known tasks that had not ended when they were read. */
  const open = new Set<string>()
  const sessionsSeen = new Set<string>()
  /** The forks by their sessions, each with the tasks of its past. */
  const forks = new Map<string, Map<string, ReadonlySet<string>>>()
  let forksSeen = 0
  let areForksSeen = false

  const add = (of: string, id: string, why: Why): void => {
    const list = dependants.get(of)
    if (list === undefined) dependants.set(of, [{ id, of, why }])
    else list.push({ id, of, why })
  }
  /** The tasks of a fork's session have from the fork what they quote of its past, also when they do not quote the fork. */
  const addHeirs = (row: ErasableTask, quotes: ReadonlySet<string>): void => {
    for (const [fork, past] of forks.get(sessionOf(row)) ?? [])
      if (fork !== row.id && [...past].some(id => quotes.has(id))) add(fork, row.id, 'quotes it')
  }
  const take = (row: ErasableTask, { parent, forkedFrom, quotes, past }: Kin): void => {
    const { id, ended } = row
    if (known.has(id)) return
    known.add(id)
    if (ended === 0) open.add(id)
    if (parent !== undefined) {
      add(parent, id, 'its subagent')
      add(id, parent, 'its caller')
    }
    if (forkedFrom !== undefined) {
      add(forkedFrom, id, 'a fork of it')
      const own = forks.get(sessionOf(row)) ?? new Map<string, ReadonlySet<string>>()
      forks.set(sessionOf(row), own.set(id, past))
    }
    addHeirs(row, quotes)
    for (const quoted of quotes) add(quoted, id, 'quotes it')
  }
  const addTask = async (row: ErasableTask): Promise<void> => {
    if (known.has(row.id)) return
    if (expected.has(row.id)) return void (await wholeOf(row)) // otherwise it would be read twice
    take(row, await readKin(log, row.id, false))
    await pause()
  }
  const addForks = async (): Promise<void> => {
    while (!areForksSeen) {
      const forks = rows.forksAfter(forksSeen)
      for (const fork of forks) await addTask(fork)
      const last = forks.at(-1)
      if (last === undefined) areForksSeen = true
      else forksSeen = last.position
    }
  }
  /** Adds all tasks in the session of a task: only these, forks, and the tasks in the sessions of forks can quote it. */
  const addSessionOf = async (task: ErasableTask): Promise<void> => {
    const { user_id, session_id } = task
    const key = sessionOf(task)
    if (sessionsSeen.has(key)) return
    sessionsSeen.add(key)
    for (const row of rows.ofSession(session_id)) if (row.user_id === user_id) await addTask(row)
  }
  const wholeOf = async (row: ErasableTask): Promise<Found> => {
    const before = whole.get(row.id)
    if (before !== undefined) return before
    const kin = await readKin(log, row.id, true)
    take(row, kin)
    await pause()
    const tasks = listOf(kin.children).map((id): Dependant => ({ id, of: row.id, why: 'its subagent' }))
    const found = { tasks: tasks.length === 0 ? nothing : tasks, sessions: listOf(kin.sessions) }
    whole.set(row.id, found)
    return found
  }

  return {
    /** What depends on a task directly. */
    async of(row: ErasableTask): Promise<Found> {
      await addForks()
      const { tasks, sessions } = await wholeOf(row)
      await addSessionOf(row)
      return { tasks: [...tasks, ...(dependants.get(row.id) ?? [])], sessions }
    },
    /** Says that `of` will be called for these tasks. */
    expect(tasks: Iterable<ErasableTask>): void {
      for (const { id } of tasks) expected.add(id)
    },
    /** From now on, also finds tasks that were created since, and reads tasks again that had not ended. */
    lookAgain(): void {
      sessionsSeen.clear()
      areForksSeen = false
      for (const id of open) {
        known.delete(id)
        whole.delete(id)
      }
      open.clear()
    },
  }
}
export type KinIndex = ReturnType<typeof createKinIndex>

/** `asked`, `sessions`: the tasks, and the streams of environment sessions, that somebody asked to erase. */
export const closureOf = async (
  { rows, pause }: Pick<Deps, 'rows' | 'pause'>,
  index: KinIndex,
  asked: Iterable<ErasableTask>,
  sessions: Iterable<string> = [],
): Promise<Closure> => {
  const closure: Closure = {
    tasks: new Map(),
    sessions: new Set(sessions),
    dependants: { tasks: [], sessions: [] },
  }
  for (const row of asked) closure.tasks.set(row.id, row)
  index.expect(closure.tasks.values())
  // Tasks that are added to the map meanwhile come later in this loop.
  for (const row of closure.tasks.values()) {
    const found = await index.of(row)
    for (const dependant of found.tasks) {
      if (closure.tasks.has(dependant.id)) continue
      const other = rows.byId(dependant.id)
      if (other === undefined) continue // it is erased already
      closure.tasks.set(other.id, other)
      closure.dependants.tasks.push(dependant)
    }
    await pause()
    for (const id of found.sessions) {
      if (closure.sessions.has(id)) continue
      closure.sessions.add(id)
      closure.dependants.sessions.push({ id, of: row.id, why: 'its environment session' })
    }
  }
  return closure
}
