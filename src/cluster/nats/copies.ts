// Which servers have a flawed copy of a stream. Each server has a copy on its own disk, and a reader is served from one
// copy. A disk can damage a copy so that records are missing in it, that it ends early, or that reading stops there.
// Then the reader goes on with the copy of another server.
import type { Timers } from '../../contract/ports.ts'
import type { SharedRecord } from '../shared-log.ts'
import type { Ask } from './ask.ts'
import { endOfStream } from './end.ts'
import { openPull, type Pull } from './pull.ts'

/** A server, and the first record that could not be had from its copy. */
export type Flaw = { server: string; sequence: number }

/** Milliseconds between two checks whether a flawed copy was mended. */
const checkMs = 5000
/** Records that the stream has come within this many milliseconds, or the copy lacks them. */
const shortMs = 1000

export type CopiesDeps = {
  name: string
  ask: Ask
  timers: Timers
  /** Aborts when the log is closed. */
  closing: AbortSignal
  /** Called with all flaws when they have changed. */
  flawed?: ((flaws: readonly Flaw[]) => void) | undefined
}

export const createCopies = ({ name, ask, timers, closing, flawed = () => {} }: CopiesDeps) => {
  const flaws = new Map<string, Flaw>()
  const changed = (): void => flawed([...flaws.values()])

  const open = (from: number, accepts: (server: string) => boolean, idleMs?: number): Promise<Pull> =>
    ask((manager, connection) => openPull({ manager, connection, name, timers, idleMs }, from, accepts))

  /** The record at a sequence, from a server that is accepted; undefined: that copy does not have it. */
  const recordAt = async (
    sequence: number,
    accepts: (server: string) => boolean,
  ): Promise<SharedRecord | undefined> => {
    const pull = await open(sequence, accepts, shortMs)
    try {
      const [record] = await pull.next()
      return record?.sequence === sequence ? record : undefined
    } finally {
      pull.close()
    }
  }
  const isSound = (server: string): boolean => !flaws.has(server)

  /** Whether the stream ends before a record. Then the stream was made again, or it has lost its end. */
  const isGone = async (sequence: number): Promise<boolean> => {
    const end = await ask(manager => endOfStream(manager, name))
    return end !== undefined && end < sequence
  }
  const isMended = async ({ server, sequence }: Flaw): Promise<boolean> => {
    if (await isGone(sequence)) return true
    const there = await recordAt(sequence, each => each === server)
    if (there === undefined) return false
    const other = await recordAt(sequence, isSound)
    return other !== undefined && Buffer.from(other.bytes).equals(there.bytes)
  }
  const check = async (): Promise<void> => {
    for (const flaw of [...flaws.values()]) {
      const { server } = flaw
      if (!(await isMended(flaw).catch(() => false)) || flaws.get(server) !== flaw) continue
      flaws.delete(server)
      changed()
    }
  }
  const cancel = timers.every(checkMs, () => void check())
  closing.addEventListener('abort', cancel, { once: true })

  return {
    /** Opens a pull from a server whose copy has no known flaw, to follow the stream. Rejects with NoCopy. */
    open: (from: number): Promise<Pull> => open(from, isSound),
    /** Does the same, for records that the stream has already: they come soon, or not at all. */
    openShort: (from: number): Promise<Pull> => open(from, isSound, shortMs),
    recordAt,
    /** Notes that a record could not be had from the copy of a server. */
    note(server: string, sequence: number): void {
      if (flaws.has(server)) return
      flaws.set(server, { server, sequence })
      changed()
    },
    /** The servers whose copies are flawed. */
    servers: (): string[] => [...flaws.keys()],
    /** Asks all servers again, since none of them was better. */
    forget(): void {
      flaws.clear()
      changed()
    },
  }
}
export type Copies = ReturnType<typeof createCopies>
