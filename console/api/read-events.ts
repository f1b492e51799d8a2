// Reads the stored events of a stream while the server sends them, and continues from there when new events are stored.
import { readJson } from '../../src/contract/json/exact-json.ts'
import type { Header, Recorded } from '../../src/contract/stored.ts'
import { type Api, queryOf } from './api.ts'

type Stored = { position: number; header: string; data: unknown }

/** Milliseconds from the first news of events until they are read, so that several events are read together. */
const gatherMs = 60

const recorded = (line: string): Recorded => {
  const { position, header, data } = readJson(line) as Stored
  return { position, header: JSON.parse(header) as Header, data }
}

/**
 * `take` is called many times for a long stream, each time with the next few events. `done` is called when `take` has
 * had all stored events.
 */
type Options = {
  api: Api
  stream: string
  take: (events: Recorded[]) => void
  done?: () => void
  signal: AbortSignal
}

export const createEventReader = ({ api, stream, take, done, signal }: Options) => {
  let position = 0
  let reading: Promise<void> = Promise.resolve()
  let timer: ReturnType<typeof setTimeout> | undefined
  const read = async (): Promise<void> => {
    await api.lines(`/audit/events${queryOf({ stream, after: position })}`, signal, lines => {
      const events = lines.map(recorded)
      take(events)
      position = events.at(-1)?.position ?? position
    })
    done?.()
  }
  /** Reads all new events. One read runs at a time. A failed read does not stop the next one. */
  const now = (): Promise<void> => {
    reading = reading.catch(() => {}).then(read)
    return reading
  }
  return {
    now,
    soon(): void {
      timer ??= setTimeout(() => {
        timer = undefined
        now().catch(() => {}) // the next read asks for the same events again
      }, gatherMs)
    },
    close: () => clearTimeout(timer),
  }
}
