// How much work each user wants from the event loop: work that began lately, and work that waits.

/** Milliseconds after which work that began counts a third. */
const memoryMs = 1000
/** Pieces of work per second that never count as too much. */
const modest = 80
/** One user may want at most this multiple of an even share of all work. */
const tolerance = 1.25

type Waiting = { pieces: number; begin: () => void }
export type Demand = {
  /** Pieces of work that began; older ones count less and less. */
  begun: number
  /** Pieces that wait. */
  wanted: number
  waiting: Waiting[]
  /** Looks since work of this user last began. */
  looks: number
}

const sizeOf = ({ begun, wanted }: Demand): number => begun + wanted

/** The demands of all users with waiting or recent work. */
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
    /** Whether a user wants far more than an even share. Never true for a single user. */
    isTooMuch(demand: Demand): boolean {
      if (users.size < 2 || sizeOf(demand) < modest) return false
      let all = 0
      for (const other of users.values()) all += sizeOf(other)
      return sizeOf(demand) * users.size > all * tolerance
    },
    /** Reduces past work by the time that has passed, in milliseconds, and forgets users without any work left. */
    fade(elapsed: number): void {
      const left = Math.exp(-elapsed / memoryMs)
      for (const [user, demand] of users) {
        demand.begun *= left
        if (demand.begun < 0.5 && demand.waiting.length === 0) users.delete(user)
      }
    },
  }
}
