// Finds copies of an environment session whose forks are erased. An earlier version erased a fork, but not the copy of
// the session that was made for it. No task leads to such a copy any more, but its headers name the copied events.
import { envSessionStream } from '../contract/env-session-events.ts'
import type { Log } from '../contract/stored.ts'
import type { SessionQueries } from '../env-sessions/queries.ts'
import type { Queries } from '../tasks/queries.ts'

type Deps = {
  log: Pick<Log, 'readStream'>
  rows: Pick<Queries['erasable'], 'ofSession'>
  sessionQueries: Pick<SessionQueries, 'idsOf'>
}

/** The server gives the sessions of forks ids that begin like this. */
const madeIds = 'sess_'

/** The streams whose events were copied into this stream. The copies are the first events of a stream. */
const originalsOf = async ({ log }: Deps, stream: string): Promise<Set<string>> => {
  for await (const page of log.readStream(stream)) {
    const copies = page.flatMap(({ header }) => header.copy_of ?? [])
    return new Set(copies.map(copy => copy.slice(0, copy.lastIndexOf('@'))))
  }
  return new Set()
}

/** The streams of copies of a session, and of copies of these copies, that belong to no task. */
export const leftCopiesOf = async (deps: Deps, id: string, userId: string): Promise<string[]> => {
  const left = deps.sessionQueries
    .idsOf(userId)
    .filter(other => other.startsWith(madeIds) && deps.rows.ofSession(other).length === 0)
  const originals = new Map<string, Set<string>>()
  for (const stream of left.map(envSessionStream)) originals.set(stream, await originalsOf(deps, stream))
  const found = new Set([envSessionStream(id)])
  // Copies that are added to the set meanwhile come later in this loop.
  for (const original of found)
    for (const [stream, own] of originals) if (own.has(original)) found.add(stream)
  found.delete(envSessionStream(id))
  return [...found]
}
