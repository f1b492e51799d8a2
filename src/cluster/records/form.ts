// The bytes of a record of the shared log: magic and version, the digest of the previous record, a content, a
// signature. By the digest of the previous record, a reader notices when a record is missing, changed or repeated. The
// signature shows that a node with the cluster key wrote the record.
import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { type SharedRecord, UnfitRecord } from '../shared-log.ts'

const magic = Buffer.from('RPRC')
const version = 1
const hashBytes = 32
const headBytes = magic.length + 1 + hashBytes
/** Bytes that a record has in addition to its content. */
export const frameBytes = headBytes + hashBytes

/** A record is signed with another key than the cluster key of this node. */
export class ForeignRecord extends UnfitRecord {}

/** The digest of the id of the log. The first record names it, since no record stands before it. */
export const originOf = (logId: string): Buffer => hash('sha256', logId, 'buffer')

const signatureOf = (key: Buffer, digest: Buffer): Buffer => createHmac('sha256', key).update(digest).digest()

/** Makes a record. `before`: the digest of the previous one. */
export const sealRecord = (
  key: Buffer,
  before: Buffer,
  content: Uint8Array,
): { bytes: Buffer; digest: Buffer } => {
  const end = headBytes + content.length
  const bytes = Buffer.concat([magic, Buffer.of(version), before, content], end + hashBytes)
  const digest = hash('sha256', bytes.subarray(0, end), 'buffer')
  signatureOf(key, digest).copy(bytes, end)
  return { bytes, digest }
}

/** The digest of a record that was checked before. */
export const digestOfRecord = (bytes: Uint8Array): Buffer =>
  hash('sha256', bytes.subarray(0, bytes.length - hashBytes), 'buffer')

/**
 * Checks a record. Returns its content, its digest, which the next record names, and `before`, the digest of the
 * previous record, which this record names. Throws UnfitRecord.
 */
export const openRecord = (
  key: Buffer,
  { sequence, bytes: found }: SharedRecord,
): { content: Buffer; digest: Buffer; before: Buffer } => {
  const bytes = Buffer.from(found.buffer, found.byteOffset, found.length)
  if (bytes.length < frameBytes || !bytes.subarray(0, magic.length).equals(magic))
    throw new UnfitRecord(sequence, 'is no record of Reprise: check which stream of the servers it is')
  const written = bytes[magic.length]
  if (written !== version)
    throw new UnfitRecord(
      sequence,
      `has version ${written}, which this version cannot read: run a newer reprise`,
    )
  const end = bytes.length - hashBytes
  const digest = hash('sha256', bytes.subarray(0, end), 'buffer')
  if (!timingSafeEqual(signatureOf(key, digest), bytes.subarray(end)))
    throw new ForeignRecord(sequence, 'is not signed with this cluster key: check CLUSTER_KEY_FILE')
  const before = bytes.subarray(magic.length + 1, headBytes)
  return { content: bytes.subarray(headBytes, end), digest, before }
}
