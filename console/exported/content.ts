// The contents of the export, as its files state them. verification.ts checks whether the contents are right.
import { type ErasedPart, erasedPartsOf } from '../../src/contract/erased-range.ts'
import type { PayloadsErased } from '../../src/contract/events/erasure-events.ts'
import type { Header } from '../../src/contract/stored.ts'
import { type ExportedEvent, fileNames, readEvent, readManifest } from '../../src/proof/export/format.ts'
import { files } from './files.ts'

/** An event as it stands in the page, with the parts of its header. */
export type PageEvent = ExportedEvent & { known: Header }

/** Returns what `read` returns; undefined when it throws. The verification then says what is wrong. */
export const tried = <T>(read: () => T): T | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

const eventsIn = (name: string): PageEvent[] =>
  [...files.lines(name)].flatMap(line => {
    const read = () => {
      const event = readEvent(line, name)
      return { ...event, known: JSON.parse(event.header) as Header }
    }
    return (line === '' ? undefined : tried(read)) ?? []
  })

export const manifest = tried(() => readManifest(files.text(fileNames.manifest) ?? ''))

const all = files.eventFiles().flatMap(eventsIn)
/** The events of each stream, in their order. */
export const streams = new Map<string, PageEvent[]>()
for (const event of all) {
  const before = streams.get(event.known.stream)
  if (before === undefined) streams.set(event.known.stream, [event])
  else before.push(event)
}
export const eventAt = (position: number): PageEvent | undefined =>
  all.find(event => event.position === position)

const erasures = manifest?.erasures === true ? eventsIn(fileNames.erasures) : []
export type Erasure = ErasedPart & { event: PageEvent; data: PayloadsErased }
/** The erasures that named a stream. */
export const erasuresOf = (stream: string): Erasure[] =>
  erasures.flatMap(event =>
    (tried(() => erasedPartsOf(event)) ?? [])
      .filter(([named]) => named === stream)
      .map(([, part]) => ({ ...part, event, data: JSON.parse(event.payload ?? '{}') as PayloadsErased })),
  )
export const isErased = ({ payload, salt }: PageEvent): boolean => payload === null && salt === null
