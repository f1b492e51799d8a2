// Makes the stored header of an event: as an object, and as the text that is hashed.
import type { Header, NewEvent, StreamAppend } from '../contract/stored.ts'

/** The part of the JSON that all headers of one append have in common. It is made once for each append. */
export const commonText = (
  { principal, owner, session_id, correlation_id, causation_id }: StreamAppend,
  build: string,
) => JSON.stringify({ principal, owner, session_id, correlation_id, causation_id, build }).slice(1, -1)

/** The text of a header as JSON.stringify writes it, but without the digest and the brace that the writer adds. */
export const openHeader = (header: Header, stream: string, common: string): string => {
  const { revision, type, schema_version, time, seq, frames, copy_of } = header
  const numbered = seq === undefined ? '' : `,"seq":${seq},"frames":${frames}`
  const copied = copy_of === undefined ? '' : `,"copy_of":${JSON.stringify(copy_of)}`
  return `{"stream":${stream},"revision":${revision},"type":${JSON.stringify(type)},"schema_version":${schema_version},"time":"${time}",${common}${numbered}${copied}`
}

export const headerOf = (
  append: StreamAppend,
  event: NewEvent,
  revision: number,
  time: string,
  build: string,
): Header => {
  const header: Header = {
    stream: append.stream,
    revision,
    type: event.type,
    schema_version: event.schema_version,
    time,
    principal: append.principal,
    owner: append.owner,
    session_id: append.session_id,
    correlation_id: append.correlation_id,
    causation_id: append.causation_id,
    build,
  }
  if (event.seq !== undefined && event.frames !== undefined) {
    header.seq = event.seq
    header.frames = event.frames
  }
  if (event.copy_of !== undefined) header.copy_of = event.copy_of
  return header
}
