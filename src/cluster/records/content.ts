// The content of a record: a byte for its kind, a part with JSON, and parts with bytes. Before each part stands its
// length.
import type { PackedBatch } from '../../log/store.ts'

/** The name of a stream key: the epoch in which it was made, and its number there, from 1. */
export type KeyName = [epoch: number, n: number]

/** The JSON part of each kind of record. */
export type Facts = {
  /** The first record. `position`: a node that has fewer events may not own the log. */
  begin: { log_id: string; version: number; position: number }
  /** A node owns the log from here on. `position`: the last position in the log of that node. */
  claim: { node: string; url: string; position: number }
  /**
   * A batch of events; its form is in packed-events.ts. `gone`: positions of events whose payload was erased before.
   * `bound`: given when there are events PayloadsErased in the batch; the keys up to this one have sealed what these
   * events erase.
   */
  events: Omit<PackedBatch, 'texts' | 'gone' | 'digests'> & {
    gone: number[]
    keys: [streamNo: number, ...KeyName][]
    bound?: KeyName
  }
  /** One of the `of` parts of a record that is too long for the servers. The last part commits the record. */
  part: { n: number; of: number }
  /** A piece of a long payload. */
  piece: { payload: number; n: number; key: KeyName }
  /** A long payload that no event will name. */
  drop: { payload: number }
  secret: { ref: string; key: KeyName }
  forget: { ref: string }
}
export type Kind = keyof Facts
export type Content = { [K in Kind]: { kind: K; facts: Facts[K]; parts: Uint8Array[] } }[Kind]

/** The byte that stands for a kind. */
const codes: Record<Kind, number> = {
  begin: 1,
  claim: 2,
  events: 3,
  part: 4,
  piece: 5,
  drop: 6,
  secret: 7,
  forget: 8,
}
const kinds = new Map(Object.entries(codes).map(([kind, code]) => [code, kind as Kind]))

/** The bytes of a content. */
export const packContent = ({ kind, facts, parts: others }: Content): Buffer => {
  const parts = [Buffer.from(JSON.stringify(facts)), ...others]
  const bytes = Buffer.allocUnsafe(parts.reduce((sum, { length }) => sum + 4 + length, 1))
  let at = bytes.writeUInt8(codes[kind])
  for (const part of parts) {
    at = bytes.writeUInt32BE(part.length, at)
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

/** Throws an error that continues the sentence "record N of the shared log". */
export const unpackContent = (bytes: Buffer): Content => {
  const kind = kinds.get(bytes[0] ?? 0)
  if (kind === undefined) throw new Error('has a kind that this version does not know: run a newer reprise')
  const parts: Buffer[] = []
  for (let at = 1; at < bytes.length; ) {
    const end = at + 4 + (at + 4 <= bytes.length ? bytes.readUInt32BE(at) : bytes.length)
    if (end > bytes.length) throw new Error('ends too early')
    parts.push(bytes.subarray(at + 4, end))
    at = end
  }
  const [json, ...others] = parts
  if (json === undefined) throw new Error('has no content')
  return { kind, facts: JSON.parse(json.toString()), parts: others } as Content
}
