// Measures how much work each user wants from the event loop: the work that began a short time ago and the work that
// waits.

/** Milliseconds after which work that began counts only about a third (1/e). */
const memoryMs = 1000
/** With fewer pieces of work than this, waiting or begun in about the last second, a user never wants too much. */
const modest = 80
/** A user who wants more than this multiple of an even share of all work wants too much. */
const tolerance = 1.25

type Waiting = { pieces: number; begin: () => void }
export type Demand = {
  /** The number of pieces of work that began. A piece counts less the longer ago it began. */
  begun: number
  /** The number of pieces of work that wait. */
  wanted: number
  waiting: Waiting[]
  /** The number of looks since work of this user last began. */
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
    /** Lets past work count less after `elapsed` milliseconds, and removes users without work. */
    fade(elapsed: number): void {
      const left = Math.exp(-elapsed / memoryMs)
      for (const [user, demand] of users) {
        demand.begun *= left
        if (demand.begun < 0.5 && demand.waiting.length === 0) users.delete(user)
      }
    },
  }
}
