// A decoder gives a stored event its type. The log returns events without knowing the type of their data. Each kind of
// stream has one decoder, and no other code gives the data a type. A decoder does not check the data, because the log
// has checked the hashes.
import { ErasedEvent, type Recorded } from '../stored.ts'

export type Decoder<Event extends { type: string; data: unknown }> = {
  /** Decodes an event of a stream of this kind. Throws ErasedEvent, and an error when the kind has no such event. */
  read(event: Recorded): Recorded<Event>
  /** Decodes an event of any stream; undefined when the stream is of another kind, or when the event was erased. */
  find(event: Recorded): Recorded<Event> | undefined
}

export const decoderOf = <Event extends { type: string; data: unknown }>(
  kind: string,
  isOfKind: (stream: string) => boolean,
  types: readonly string[],
): Decoder<Event> => {
  const known: ReadonlySet<string> = new Set(types)
  const decoded = ({ position, header, data }: Recorded) =>
    ({ position, type: header.type, header, data }) as unknown as Recorded<Event>
  return {
    read(event) {
      const { type } = event.header
      if (event.erased_by !== undefined) throw new ErasedEvent(event.position, event.erased_by)
      if (!known.has(type)) throw new Error(`this build knows no event ${type} in the stream of a ${kind}`)
      return decoded(event)
    },
    find: event =>
      event.erased_by === undefined && isOfKind(event.header.stream) && known.has(event.header.type)
        ? decoded(event)
        : undefined,
  }
}
