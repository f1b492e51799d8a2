// How much work each user wants of the event loop: what began lately, and what waits.

/** After this many milliseconds, work that began counts a third. */
const memoryMs = 1000
/** Pieces of work a second that nobody waits for. */
const modest = 80
/** How many times an even share of all work one user may want. */
const tolerance = 1.25

type Waiting = { pieces: number; begin: () => void }
export type Demand = {
  /** Pieces of work that began; those of long ago fade. */
  begun: number
  /** Pieces that wait, in all. */
  wanted: number
  waiting: Waiting[]
  /** Looks since work of this user began. */
  looks: number
}

const sizeOf = ({ begun, wanted }: Demand): number => begun + wanted

/** The demands of all users who want something, or did lately. */
export const createDemands = () => {
  const users = new Map<string, Demand>()
  return {
    of(user: string): Demand {
      const known = users.get(user) ?? { begun: 0, wanted: 0, waiting: [], looks: 0 }
      users.set(user, known)
      return known
    },
    all: (): Iterable<Demand> => users.values(),
    areNone: (): boolean => users.size === 0,
    /** Whether one wants far more than an even share. A user alone never does. */
    isTooMuch(demand: Demand): boolean {
      if (users.size < 2 || sizeOf(demand) < modest) return false
      let all = 0
      for (const other of users.values()) all += sizeOf(other)
      return sizeOf(demand) * users.size > all * tolerance
    },
    /** Lets past work fade by this many milliseconds, and forgets users of whom nothing is left. */
    fade(elapsed: number): void {
      const left = Math.exp(-elapsed / memoryMs)
      for (const [user, demand] of users) {
        demand.begun *= left
        if (demand.begun < 0.5 && demand.waiting.length === 0) users.delete(user)
      }
    },
  }
}
