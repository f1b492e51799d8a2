// Writes the file of the read models anew, without the texts that removed rows have left in its free space. Another
// thread copies the rows. Then the events that came meanwhile are folded into the copy, and the copy takes the place of
// the file in the turn in which it has all events. So the tables are current at every moment.
import type { Log, Recorded } from '../src/contract/stored.ts'
import { createTurns } from '../src/platform/turns.ts'
import { endTraces } from './erasing/table.ts'
import { createFolding, type Folding, type Projection } from './folding.ts'
import { readToHead } from './read-to-head.ts'
import type { Copy, ReadStore } from './store.ts'

/** The copy takes the place of the file when it lacks at most this many events, which are then folded in one turn. */
const mostMissing = 200
/** The copy comes this close to the log at most so often: when more events come all the time, it takes them all. */
const mostRounds = 20

type Parts = {
  store: ReadStore
  log: Log
  projectionsOn: (store: ReadStore) => Projection[]
  /** Resolves when no catch-up runs. */
  rest: () => Promise<void>
  isAtRest: () => boolean
  /** Replaces the file, and continues with this folding after these events. */
  replace: (copy: Copy, folding: Folding, since: Recorded[]) => void
}

export const createRewriting = ({ store, log, projectionsOn, rest, isAtRest, replace }: Parts) => {
  /** A standby asks for the next copy while it still makes one, and both have the same name. */
  const inTurn = createTurns()
  /** The events of commits that the copy may lack. Undefined: no copy is made. */
  let since: Recorded[] | undefined

  const fill = async (copy: Copy): Promise<Folding> => {
    const folding = createFolding(copy.store, log, projectionsOn(copy.store))
    for (let round = 1; ; round++) {
      since = []
      await readToHead(log, folding, { atOnce: mostMissing })
      await copy.sync()
      if (since.length <= mostMissing || round === mostRounds) return folding
    }
  }
  const rewrite = async (): Promise<void> => {
    const copy = await store.copy()
    if (copy === undefined) return
    try {
      endTraces(copy.store)
      const folding = await fill(copy)
      do {
        await rest()
        await copy.release()
      } while (!isAtRest())
      replace(copy, folding, since ?? [])
    } catch (error) {
      copy.discard()
      throw error
    } finally {
      since = undefined
    }
    await copy.settle()
  }
  return {
    follow(events: Recorded[]): void {
      if (since !== undefined) for (const event of events) since.push(event)
    },
    /** Rejects when the file could not be written anew. */
    rewrite: (): Promise<void> => inTurn(rewrite),
  }
}
