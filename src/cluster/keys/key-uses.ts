// Keeps which stream uses which key. The records of the shared log say the same, so a use is written to the file only a
// while later. Before the node notes that it need not read these records again, it calls `write`.
import type { KeyName } from '../records/content.ts'
import type { StreamKey } from '../records/packed-events.ts'
import type { KeyFile } from './key-file.ts'

/** The largest number of streams whose keys are kept in memory. */
const mostInMemory = 20_000
/** As soon as this many uses are not in the file yet, they are written. */
const unwrittenAtMost = 4096

type Use = { streamNo: number; name: KeyName; isRetired: boolean }

const isLater = ([epoch, n]: KeyName, [ofEpoch, ofN]: KeyName): boolean =>
  epoch > ofEpoch || (epoch === ofEpoch && n > ofN)

/** Uses that are not in the file yet. */
const createUnwritten = (file: KeyFile) => {
  let uses: Use[] = []
  const streams = new Set<number>()
  const clear = (): void => {
    uses = []
    streams.clear()
  }
  const write = (): void => {
    if (uses.length === 0) return
    file.commit(() => {
      for (const { streamNo, name, isRetired } of uses) file.use(streamNo, name, isRetired)
    })
    clear()
  }
  return {
    clear,
    write,
    add(use: Use): void {
      uses.push(use)
      streams.add(use.streamNo)
      if (uses.length >= unwrittenAtMost) write()
    },
    /** Whether this stream has uses that are not in the file yet. */
    has: (streamNo: number): boolean => streams.has(streamNo),
  }
}

export const createKeyUses = (file: KeyFile) => {
  /** The keys that streams use now. */
  const current = new Map<number, StreamKey>()
  const unwritten = createUnwritten(file)
  const { write, add: note } = unwritten

  const keep = (streamNo: number, key: StreamKey): void => {
    if (current.size >= mostInMemory) {
      write() // what leaves the memory must be in the file
      current.clear()
    }
    current.set(streamNo, key)
  }
  /** The stream uses this key from now on. */
  const begin = (streamNo: number, key: StreamKey): void => {
    keep(streamNo, key)
    note({ streamNo, name: key.name, isRetired: false })
  }
  return {
    write,
    /** The key that a stream uses; undefined: it needs a new one. */
    of(streamNo: number, isNew: boolean): StreamKey | undefined {
      const known = current.get(streamNo)
      if (known !== undefined || isNew) return known
      if (unwritten.has(streamNo)) write()
      for (const { epoch, n, retired } of file.used(streamNo).reverse()) {
        const key = retired === 1 ? undefined : file.one(epoch, n)?.key
        if (key == null) continue
        const found: StreamKey = { name: [epoch, n], key }
        keep(streamNo, found)
        return found
      }
      return undefined
    },
    begin,
    /** Notes the keys that a record names for streams. The record may have been read before. */
    read(named: readonly [streamNo: number, ...KeyName][]): void {
      const others = named.filter(([streamNo, epoch, n]) => {
        const known = current.get(streamNo)?.name
        return known?.[0] !== epoch || known[1] !== n
      })
      if (others.length === 0) return
      const found = file.reading(() => others.map(([, ...name]) => file.one(...name)?.key))
      for (const [i, [streamNo, ...name]] of others.entries()) {
        const key = found[i]
        if (key == null) note({ streamNo, name, isRetired: false })
        else begin(streamNo, { name, key })
      }
    },
    /** Notes that this key seals one thing of the stream, and nothing else. */
    add: (streamNo: number, name: KeyName): void => note({ streamNo, name, isRetired: false }),
    /**
     * Retires the keys of these streams up to `bound`, since what these keys have sealed is to be erased. Later keys
     * stay: after a crash, the same record is read again, and the streams may have new keys by then.
     */
    retire(streamNos: readonly number[], bound: KeyName): void {
      write()
      file.commit(() => {
        for (const streamNo of streamNos) {
          const known = current.get(streamNo)
          if (known !== undefined && !isLater(known.name, bound)) current.delete(streamNo)
          for (const { epoch, n } of file.used(streamNo))
            if (!isLater([epoch, n], bound)) file.use(streamNo, [epoch, n], true)
        }
      })
    },
    /** The retired keys of a stream. */
    retired(streamNo: number): KeyName[] {
      return file
        .used(streamNo)
        .filter(({ retired }) => retired === 1)
        .map(({ epoch, n }) => [epoch, n])
    },
    /** Forgets everything: the records are read again from the first one on. */
    forget(): void {
      current.clear()
      unwritten.clear()
    },
  }
}
export type KeyUses = ReturnType<typeof createKeyUses>
