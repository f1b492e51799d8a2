// Turns a batch of events into the content of a record, and back. Headers and digests can be read without a key, so
// that the leaf of each row can still be computed after an erasure. The payloads and salts of one stream are one sealed
// part.
//
// The first part has a line for each row: the digest (43 characters), then the header without the digest. The other
// parts are sealed, one for each stream in `keys`, in the same order. Such a part has, for each row of the stream whose
// payload was not erased, a line with the payload and one with the salt. Neither text has a line end, because
// JSON.stringify writes none.
import { digestChars, digestOf } from '../../log/leaf.ts'
import type { PackedBatch } from '../../log/store.ts'
import type { Content, Facts, KeyName } from './content.ts'
import { seal, unseal } from './sealing.ts'

export type StreamKey = { name: KeyName; key: Buffer }
type EventsContent = Extract<Content, { kind: 'events' }>

/**
 * Returns the content, and the digests of the rows, one behind the other.
 * `longDigest`: the digest of a long payload by its number. `keyOf`: the key of a stream. `bound`: see content.ts.
 */
export const packEvents = (
  { texts, gone = [], ...batch }: PackedBatch,
  longDigest: (payload: number) => string,
  keyOf: (streamNo: number, isNew: boolean) => StreamKey,
  bound?: KeyName,
): { content: EventsContent; digests: string } => {
  const goneDigests = new Map(gone.map(({ position, digest }) => [position, digest]))
  const long = new Map(batch.long.map(({ position, payload }) => [position, payload]))
  const plain = new Map<number, string>()
  const lines: string[] = []
  let digests = ''
  for (const [n, streamNo] of batch.streamNos.entries()) {
    const [open = '', payload = '', salt = ''] = [texts[3 * n], texts[3 * n + 1], texts[3 * n + 2]]
    const position = batch.first + n
    const erased = goneDigests.get(position)
    const isLong = payload === '' && erased === undefined
    const digest = erased ?? (isLong ? longDigest(long.get(position) ?? 0) : digestOf(salt, payload))
    digests += digest
    lines.push(digest + open)
    if (erased === undefined) plain.set(streamNo, `${plain.get(streamNo) ?? ''}${payload}\n${salt}\n`)
  }
  const keys: Facts['events']['keys'] = []
  const parts: Uint8Array[] = [Buffer.from(lines.join('\n'))]
  const isNew = new Set(batch.newStreams.map(({ no }) => no))
  for (const [streamNo, text] of plain) {
    const { name, key } = keyOf(streamNo, isNew.has(streamNo))
    keys.push([streamNo, ...name])
    parts.push(seal(key, text))
  }
  const facts = { ...batch, gone: [...goneDigests.keys()], keys, ...(bound && { bound }) }
  return { content: { kind: 'events', facts, parts }, digests }
}

/** Finds a key by its name. Undefined: the key is not here. `destroyed`: what the key has sealed was erased. */
export type Keys = (...name: KeyName) => Buffer | 'destroyed' | undefined

/** The rows of a record, and the names of keys that are not here, but needed to open the record. */
export type OpenedEvents = { batch: PackedBatch & { digests: string }; lacking: KeyName[] }

/** Reads lines one after the other. */
const linesOf = (text: string) => {
  const lines = text.split('\n')
  let at = 0
  return () => lines[at++] ?? ''
}

/** Throws an error that continues the sentence "record N of the shared log". */
export const unpackEvents = ({ facts, parts }: EventsContent, keyOf: Keys): OpenedEvents => {
  const { keys, gone: erased, bound, ...batch } = facts
  const lacking: KeyName[] = []
  const plain = new Map<number, () => string>()
  for (const [n, [streamNo, ...name]] of keys.entries()) {
    const key = keyOf(...name)
    const part = parts[n + 1]
    if (key === undefined || part === undefined) lacking.push(name)
    else if (key !== 'destroyed') plain.set(streamNo, linesOf(unseal(key, part)))
  }
  const [texts, gone]: [string[], NonNullable<PackedBatch['gone']>] = [[], []]
  let digests = ''
  const isErased = new Set(erased)
  const lines = Buffer.from(parts[0] ?? [])
    .toString()
    .split('\n')
  for (const [n, streamNo] of batch.streamNos.entries()) {
    const line = lines[n] ?? ''
    const digest = line.slice(0, digestChars)
    const position = batch.first + n
    const next = isErased.has(position) ? undefined : plain.get(streamNo)
    const [payload, salt] = next === undefined ? ['', ''] : [next(), next()]
    if (next === undefined) gone.push({ position, digest })
    else if (payload !== '' && digestOf(salt, payload) !== digest)
      throw new Error(`has a wrong digest for the event at position ${position}`)
    digests += digest
    texts.push(line.slice(digestChars), payload, salt)
  }
  return { batch: { ...batch, texts, gone, digests }, lacking }
}
