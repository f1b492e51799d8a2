// reprise diff: says where two tasks differ. It asks a server.
import type { Difference } from '../../../library/client/index.ts'
import { type Asking, ask, print, printJson } from './ask.ts'

/** The largest number of differing events that are printed for a person. */
const maxEventsShown = 10

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

/** Prints where two tasks differ. The exit code is 1 when they differ. */
export const diffTasks = async (left: string, right: string, options: Asking): Promise<void> => {
  const difference = await ask(options, ({ tasks }) => tasks.diff(left, right))
  if (options.json) printJson(difference)
  else printForPeople(difference)
  if (difference.first_divergence !== null || difference.facts.length > 0) process.exitCode = 1
}
