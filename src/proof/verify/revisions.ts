// Checks that the events of each stream come by revision, from 0 and without a hole. It needs four bytes for each
// stream, if the numbers of the streams follow each other.

export type Revisions = {
  /** Takes the next event of the stream with this number. Returns the revision that was expected when it is another. */
  add(stream: number, revision: number): number | undefined
  streams(): number
}

/** Streams whose counts are in one array. A wrong number of a stream then needs no more memory than one array. */
const width = 1024

export const createRevisions = (): Revisions => {
  /** How many events of each stream came. */
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
