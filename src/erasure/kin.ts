// Reads the events of a task to find the tasks whose content it has, and the tasks and sessions that have its content.
import { taskEvents } from '../contract/decoders/task.ts'
import { envSessionStream } from '../contract/events/env-session-events.ts'
import type { TaskEventData } from '../contract/events/task-events.ts'
import type { Log } from '../contract/stored.ts'
import { isTaskStream, taskIdOf, taskStream } from '../contract/task-stream.ts'

export type Created = TaskEventData<'TaskCreated'>

/** `quotes`: other tasks whose items are in the context of this task or, for a fork, in its past. */
export type Kin = {
  parent: string | undefined
  forkedFrom: string | undefined
  quotes: Set<string>
  /** For a fork: the tasks of its past, which tasks of its session quote, too. */
  past: Set<string>
  children: Set<string>
  /** The streams of the environment sessions in which the task took steps, or that were copied for a fork. */
  sessions: Set<string>
}

const idsIn = (references: readonly { stream: string }[]): string[] =>
  references.flatMap(({ stream }) => (isTaskStream(stream) ? [taskIdOf(stream)] : []))

const hasEvents = async ({ readStream }: Pick<Log, 'readStream'>, stream: string): Promise<boolean> => {
  for await (const _ of readStream(stream)) return true
  return false
}

/** `isWhole`: also reads the events after the start of the task, which name its subagents and environment sessions. */
export const readKin = async (log: Pick<Log, 'readStream'>, id: string, isWhole: boolean): Promise<Kin> => {
  const [quotes, past] = [new Set<string>(), new Set<string>()]
  const [children, sessions] = [new Set<string>(), new Set<string>()]
  const kin: Kin = { parent: undefined, forkedFrom: undefined, quotes, past, children, sessions }
  let created: Created | undefined
  for await (const page of log.readStream(taskStream(id))) {
    for (const { type, data } of page.flatMap(event => taskEvents.find(event) ?? [])) {
      if (type === 'TaskCreated') {
        created = data
        kin.parent = data.parent_task_id
        kin.forkedFrom = data.forked_from?.task_id
        for (const each of idsIn(data.forked_from?.past ?? [])) {
          kin.quotes.add(each)
          kin.past.add(each)
        }
      }
      if (type === 'TaskStarted') {
        for (const each of idsIn(data.context)) kin.quotes.add(each)
        if (data.context_of !== undefined) kin.quotes.add(taskIdOf(data.context_of))
        if (!isWhole) return kin
      }
      if (type === 'EffectIntended' && data.child !== undefined) kin.children.add(data.child)
      if (type === 'EffectIntended' && data.in_session && created !== undefined)
        kin.sessions.add(envSessionStream(created.session_id))
      if (type === 'EffectCompleted' && data.env_step !== undefined) kin.sessions.add(data.env_step.stream)
    }
  }
  // A fork has a session id of its own, so an environment session with this id is the copy that was made for the fork.
  if (created?.forked_from !== undefined) {
    const copy = envSessionStream(created.session_id)
    if (await hasEvents(log, copy)) kin.sessions.add(copy)
  }
  kin.quotes.delete(id)
  return kin
}
