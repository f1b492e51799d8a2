// reprise fork and reprise diff. They ask the running server.
import type { Difference } from '../contract/responses.ts'
import type { ForkTaskBody, Task } from '../contract/wire.ts'
import { ask, at, print } from './ask.ts'

type ForkOptions = {
  at: string
  model?: string
  agent?: string
  message?: string
  pause?: true
  taskId?: string
  json?: true
}

/** The most events that differ which are printed for people. */
const maxEventsShown = 10

/** Makes a fork, and prints its id. */
export const forkTask = async (id: string, options: ForkOptions): Promise<void> => {
  const { at: frame, model, agent, message, pause, taskId, json } = options
  const config = {
    ...(agent === undefined ? {} : { agent_id: agent }),
    ...(model === undefined ? {} : { model }),
  }
  const body: ForkTaskBody = {
    at: Number(frame),
    ...(Object.keys(config).length === 0 ? {} : { agent_config: config }),
    ...(message === undefined ? {} : { user_message_content: message }),
    ...(pause === undefined ? {} : { run: false }),
    ...(taskId === undefined ? {} : { task_id: taskId }),
  }
  const task = await ask<Pick<Task, 'id'>>('POST', `/tasks${at(id)}/fork`, body)
  print(json ? JSON.stringify(task) : task.id)
}

const nameOf = (fact: Difference['facts'][number]['left']): string =>
  fact === null ? '-' : `${fact.type} (revision ${fact.revision})`

const printForPeople = ({ first_divergence, items, facts }: Difference): void => {
  if (first_divergence === null) print('the frames are the same')
  else print(`the frames differ from frame ${first_divergence} on`)
  for (const [n, item] of items.entries()) if (!item.same) print(`item ${n} differs`)
  for (const { left, right } of facts.slice(0, maxEventsShown))
    print(`event  ${nameOf(left)}  |  ${nameOf(right)}`)
  const more = facts.length - maxEventsShown
  if (more > 0) print(`${more} more events differ: --json shows them`)
}

/** Prints where two tasks differ. Exits with 1 when they do. */
export const diffTasks = async (left: string, right: string, { json }: { json?: true }): Promise<void> => {
  const difference = await ask<Difference>('GET', `/tasks${at(left)}/diff${at(right)}`)
  if (json) print(JSON.stringify(difference))
  else printForPeople(difference)
  if (difference.first_divergence !== null || difference.facts.length > 0) process.exitCode = 1
}
