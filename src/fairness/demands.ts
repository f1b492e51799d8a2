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

/** The demands of all users with waiting or recent work. */
export const createDemands = () => {
  const users = new Map<string, Demand>()
  /** The pieces of work of all users. */
  const all = { begun: 0, wanted: 0 }

  const begin = (demand: Demand, pieces: number): void => {
    demand.looks = 0
    demand.begun += pieces
    all.begun += pieces
  }
  return {
    of(user: string): Demand {
      const known = users.get(user) ?? { begun: 0, wanted: 0, waiting: [], looks: 0 }
      users.set(user, known)
      return known
    },
    all: (): Iterable<Demand> => users.values(),
    areNone: (): boolean => users.size === 0,
    /** Counts work that begins. */
    begin,
    /** Adds work that waits. */
    wait(demand: Demand, work: Waiting): void {
      demand.waiting.push(work)
      demand.wanted += work.pieces
      all.wanted += work.pieces
    },
    /** Begins the work of a user that has waited longest. Returns the number of its pieces; 0: nothing waits. */
    beginNext(demand: Demand): number {
      const work = demand.waiting.shift()
      if (work === undefined) return 0
      demand.wanted -= work.pieces
      all.wanted -= work.pieces
      begin(demand, work.pieces)
      work.begin()
      return work.pieces
    },
    /** Of the users with waiting work, the one whose begun work is the least. Undefined: no work waits. */
    next(): Demand | undefined {
      let least: Demand | undefined
      for (const user of users.values())
        if (user.waiting.length > 0 && user.begun < (least?.begun ?? Number.POSITIVE_INFINITY)) least = user
      return least
    },
    /**
     * Whether a user wants far more than an even share and has already had one. Never true for a single user.
     */
    isTooMuch({ begun, wanted }: Demand): boolean {
      const size = begun + wanted
      if (users.size < 2 || size < modest || begun * users.size < all.begun) return false
      return size * users.size > (all.begun + all.wanted) * tolerance
    },
    /** Lets past work count less after `elapsed` milliseconds, and removes users without work. */
    fade(elapsed: number): void {
      const left = Math.exp(-elapsed / memoryMs)
      all.begun = 0
      for (const [user, demand] of users) {
        demand.begun *= left
        if (demand.begun < 0.5 && demand.waiting.length === 0) users.delete(user)
        else all.begun += demand.begun
      }
    },
  }
}
