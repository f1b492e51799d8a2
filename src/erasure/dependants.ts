// Finds everything else in which content of some tasks can be read: their callers and subagents, their forks, the tasks
// whose contexts quote them, and the environment sessions in which they took steps. Repeats this for the found tasks.
import type { ErasableTask } from '../../projections/tasks/ended-rows.ts'
import type { Log } from '../contract/stored.ts'
import { nextTurn } from '../fairness/slices.ts'
import type { Queries } from '../tasks/queries.ts'
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

type Deps = { log: Pick<Log, 'readStream'>; rows: Queries['erasable'] }

/** Knows which tasks depend on which other tasks, for all tasks that were added. */
const createIndex = ({ log, rows }: Deps) => {
  const dependants = new Map<string, Dependant[]>()
  const known = new Map<string, Promise<Kin>>()
  const looked = new Set<string>()
  const kinOf = (id: string): Promise<Kin> => {
    const kin = known.get(id) ?? readKin(log, id, false)
    known.set(id, kin)
    return kin
  }
  const add = (of: string, id: string, why: Why): void => {
    const list = dependants.get(of)
    if (list === undefined) dependants.set(of, [{ id, of, why }])
    else list.push({ id, of, why })
  }
  const addTask = async (id: string): Promise<void> => {
    if (known.has(id)) return
    const { parent, forkedFrom, quotes } = await kinOf(id)
    if (parent !== undefined) {
      add(parent, id, 'its subagent')
      add(id, parent, 'its caller')
    }
    if (forkedFrom !== undefined) add(forkedFrom, id, 'a fork of it')
    for (const quoted of quotes) add(quoted, id, 'quotes it')
    await nextTurn()
  }
  return {
    addTask,
    /** Adds all tasks in the session of a task: only these tasks, and forks, can quote the task. */
    async addSessionOf({ user_id, session_id }: ErasableTask): Promise<void> {
      const key = JSON.stringify([user_id, session_id])
      if (looked.has(key)) return
      looked.add(key)
      for (const row of rows.ofSession(session_id)) if (row.user_id === user_id) await addTask(row.id)
    },
    of: (id: string): Dependant[] => dependants.get(id) ?? [],
  }
}

/** `asked`, `sessions`: the tasks, and the streams of environment sessions, that somebody asked to erase. */
export const closureOf = async (
  deps: Deps,
  asked: readonly ErasableTask[],
  sessions: readonly string[] = [],
): Promise<Closure> => {
  const { log, rows } = deps
  const index = createIndex(deps)
  for (const fork of rows.forks()) await index.addTask(fork.id)
  const closure: Closure = {
    tasks: new Map(asked.map(row => [row.id, row])),
    sessions: new Set(sessions),
    dependants: { tasks: [], sessions: [] },
  }
  // Tasks that are added to the map meanwhile come later in this loop.
  for (const row of closure.tasks.values()) {
    await index.addSessionOf(row)
    const { children, sessions } = await readKin(log, row.id, true)
    const own = [...children].map((id): Dependant => ({ id, of: row.id, why: 'its subagent' }))
    for (const dependant of [...own, ...index.of(row.id)]) {
      if (closure.tasks.has(dependant.id)) continue
      const found = rows.byId(dependant.id)
      if (found === undefined) continue // it is erased already
      closure.tasks.set(found.id, found)
      closure.dependants.tasks.push(dependant)
    }
    for (const id of sessions) {
      if (closure.sessions.has(id)) continue
      closure.sessions.add(id)
      closure.dependants.sessions.push({ id, of: row.id, why: 'its environment session' })
    }
  }
  return closure
}
