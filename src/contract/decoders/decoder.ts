// How a stored event gets its type back. The log gives events whose data it does not know; each kind of stream has one
// decoder, and only decoders say of what type the data are. They trust what is stored: the log has checked its hashes.
import type { Recorded } from '../stored.ts'

export type Decoder<Event extends { type: string; data: unknown }> = {
  /** An event of a stream that is known to be of this kind. Throws where the kind has no such event. */
  read(event: Recorded): Recorded<Event>
  /** The same for an event of any stream; undefined: it is none of this kind. */
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
      if (!known.has(type)) throw new Error(`there is no ${kind} event ${type}`)
      return decoded(event)
    },
    find: event =>
      isOfKind(event.header.stream) && known.has(event.header.type) ? decoded(event) : undefined,
  }
}
