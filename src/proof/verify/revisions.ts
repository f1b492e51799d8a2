// Checks that the events of each stream come in the order of their revisions, from 0 and without a hole. This needs
// four bytes for each stream, if the numbers of the streams follow each other.

export type Revisions = {
  /** Takes the next event of a stream. If another revision was expected, returns this expected revision. */
  add(stream: number, revision: number): number | undefined
  streams(): number
}

/** The number of streams whose counts share one array. So a wrong stream number costs no more memory than one array. */
const width = 1024

export const createRevisions = (): Revisions => {
  /** For each stream, the number of events that have come. */
  const counts = new Map<number, Int32Array>()
  let streams = 0
  return {
    add(stream, revision) {
      const page = Math.floor(stream / width)
      const row = counts.get(page) ?? new Int32Array(width)
      counts.set(page, row)
      const place = stream - page * width
      const expected = row[place] ?? 0
      if (revision !== expected) return expected
      if (expected === 0) streams++
      row[place] = expected + 1
      return undefined
    },
    streams: () => streams,
  }
}
