// Keeps the next due time of each id in a heap: the earliest is found at once, however many there are.
/** The entries that are out of date are removed all at once when they are this many more than the ids. */
const spare = 1000

type Entry = { due: number; id: string }

export const createDueTimes = () => {
  const heap: Entry[] = []
  /** The present entry of each id. An entry of the heap that is not here is out of date. */
  const current = new Map<string, Entry>()

  const swap = (a: number, b: number) => {
    const [one, other] = [heap[a] as Entry, heap[b] as Entry]
    heap[a] = other
    heap[b] = one
  }
  const dueAt = (at: number): number => heap[at]?.due ?? Number.POSITIVE_INFINITY
  const rise = (from: number) => {
    for (let at = from; at > 0; ) {
      const above = (at - 1) >> 1
      if (dueAt(above) <= dueAt(at)) return
      swap(above, at)
      at = above
    }
  }
  const sink = () => {
    for (let at = 0; ; ) {
      const left = 2 * at + 1
      const least = dueAt(left + 1) < dueAt(left) ? left + 1 : left
      if (dueAt(least) >= dueAt(at)) return
      swap(least, at)
      at = least
    }
  }
  const pop = (): Entry | undefined => {
    const [first] = heap
    const last = heap.pop()
    if (first !== undefined && last !== undefined && heap.length > 0) {
      heap[0] = last
      sink()
    }
    return first
  }
  /** Removes entries that are out of date from the top. */
  const clean = () => {
    while (heap[0] !== undefined && current.get(heap[0].id) !== heap[0]) pop()
  }
  const compact = () => {
    const entries = heap.splice(0).filter(entry => current.get(entry.id) === entry)
    for (const entry of entries) {
      heap.push(entry)
      rise(heap.length - 1)
    }
  }

  return {
    set(id: string, due: number): void {
      if (current.get(id)?.due === due) return
      const entry = { due, id }
      current.set(id, entry)
      heap.push(entry)
      rise(heap.length - 1)
      if (heap.length > 2 * current.size + spare) compact()
    },
    remove: (id: string): void => void current.delete(id),
    clear(): void {
      heap.length = 0
      current.clear()
    },
    earliest(): number | undefined {
      clean()
      return heap[0]?.due
    },
    /** Removes the ids that are due, and returns them, earliest first. */
    take(now: number): string[] {
      const ids: string[] = []
      for (clean(); heap[0] !== undefined && heap[0].due <= now; clean()) {
        const { id } = pop() as Entry
        current.delete(id)
        ids.push(id)
      }
      return ids
    },
    all: (): string[] => [...current.keys()],
    size: (): number => current.size,
  }
}
