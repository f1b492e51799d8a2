// Keeps the newest of many numbered entries. The window is limited: who needs older entries reads them where they are
// stored.

export type WindowOf<Entry> = {
  /** The number of an entry, which grows from one entry to the next. An entry with several numbers gives its last one. */
  numberOf: (entry: Entry) => number
  /** The most entries that are kept. */
  entriesAtMost: number
  /** The greatest length of all kept entries together, and the length of one. Absent: lengths do not count. */
  lengthAtMost?: number
  lengthOf?: (entry: Entry) => number
}

/** The window keeps this many of the lists that it has returned, for readers that need the same entries. */
const listsInMemory = 16

const none: readonly never[] = []

/** The index of the first entry after a number. Entries before the index `first` are not looked at. */
export const indexAfter = <Entry>(
  entries: readonly Entry[],
  number: number,
  numberOf: (entry: Entry) => number,
  first = 0,
): number => {
  let low = first
  let high = entries.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (numberOf(entries[middle] as Entry) <= number) low = middle + 1
    else high = middle
  }
  return low
}

/** `start`: the window knows of no entries up to this number. */
export const createWindow = <Entry>(
  { numberOf, entriesAtMost, lengthAtMost = Number.POSITIVE_INFINITY, lengthOf = () => 0 }: WindowOf<Entry>,
  start: number,
) => {
  /** The kept entries begin at the index `first`. Those before it are dropped; the list is cut when they are many. */
  let entries: (Entry | undefined)[] = []
  let lengths: number[] = []
  let first = 0
  let length = 0
  /** Every entry after this number is kept. */
  let from = start
  let upTo = start
  const lists = new Map<number, readonly Entry[]>()

  /** Drops old entries. The last entries, `newest` in number, always stay: readers have waited for them. */
  const shorten = (newest: number): void => {
    const end = entries.length - newest
    while (first < end && (entries.length - first > entriesAtMost || length > lengthAtMost)) {
      from = numberOf(entries[first] as Entry)
      length -= lengths[first] as number
      entries[first++] = undefined
    }
    if (first <= entriesAtMost) return
    entries = entries.slice(first)
    lengths = lengths.slice(first)
    first = 0
  }

  return {
    numberOf,
    /** The number up to which the window has been given all entries. */
    upTo: () => upTo,
    /** Adds all entries after `upTo()`, up to a number. */
    add(newest: readonly Entry[], number: number): void {
      lists.clear()
      upTo = number
      for (const entry of newest) {
        const own = lengthOf(entry)
        entries.push(entry)
        lengths.push(own)
        length += own
      }
      shorten(newest.length)
    },
    /** Drops all entries. From now on the window knows of no entries up to this number. */
    clear(number: number): void {
      lists.clear()
      entries = []
      lengths = []
      first = length = 0
      from = upTo = number
    },
    /** All entries after a number; undefined: not all of them are kept. The list is shared and must not be changed. */
    after(number: number): readonly Entry[] | undefined {
      if (number < from) return undefined
      const index = indexAfter(entries as Entry[], number, numberOf, first)
      if (index === entries.length) return none
      const list = lists.get(number) ?? (entries.slice(index) as Entry[])
      if (lists.size >= listsInMemory) lists.clear()
      lists.set(number, list)
      return list
    },
  }
}
export type Window<Entry> = ReturnType<typeof createWindow<Entry>>
