// Checks one stored event against its own hashes and its own header. Readers of the log use this check, and so do
// verifiers that have only an export. So this file imports only the functions that compute hashes.
import { digestOf, leafOf } from './leaf.ts'

/** A stored event as texts. `payload` and `salt` are null after an erasure. */
export type StoredTexts = {
  stream: string | null
  revision: number
  header: string
  payload: string | null
  salt: string | null
  leaf: string
}

const saltForm = /^[\w-]+$/

/** Whether the payload and the salt of an event were erased. Its header and its leaf stay. */
export const isErased = ({ payload, salt }: Pick<StoredTexts, 'payload' | 'salt'>): boolean =>
  payload === null && salt === null

/** Whether the payload of an event is long, so that it is stored elsewhere. */
export const isLong = ({ payload, salt }: Pick<StoredTexts, 'payload' | 'salt'>): boolean =>
  payload === null && salt !== null

/** Says why the header and the leaf do not fit each other; undefined: they fit. */
const misfitOfLeaf = ({ header, leaf }: Pick<StoredTexts, 'header' | 'leaf'>): string | undefined => {
  // A damaged file may give bytes where there was a text.
  if (typeof header !== 'string' || typeof leaf !== 'string') return 'has a header or a leaf that is no text'
  return leafOf(header) === leaf ? undefined : 'does not match its leaf'
}

const beginning = { stream: undefined as string | null | undefined, text: '' }
/** How the headers of a stream begin. Events of a stream often follow each other, so the last text is kept. */
const beginningOf = (stream: string | null): string => {
  if (stream !== beginning.stream) {
    beginning.text = `{"stream":${JSON.stringify(stream)},"revision":`
    beginning.stream = stream
  }
  return beginning.text
}

/** Says why the header does not fit the place of the event; undefined: it fits. */
const misfitOfPlace = ({
  stream,
  revision,
  header,
}: Pick<StoredTexts, 'stream' | 'revision' | 'header'>): string | undefined => {
  const begin = beginningOf(stream)
  return header.slice(0, begin.length) === begin && header.startsWith(`${revision},`, begin.length)
    ? undefined
    : 'is stored under another stream or revision than its header says'
}

/** Why the header does not fit its leaf, or the place of the event; undefined: it fits. */
export const misfitOfHeader = (
  event: Pick<StoredTexts, 'stream' | 'revision' | 'header' | 'leaf'>,
): string | undefined => misfitOfLeaf(event) ?? misfitOfPlace(event)

/** Whether the digest is the last key of a header. The end is compared as one text, which takes less time than three. */
const endsWithDigest = (header: string, digest: string): boolean => {
  const end = `,"digest":"${digest}"}`
  return header.slice(-end.length) === end
}

/** Why a payload does not fit the header; undefined: it fits. `begin`: the first character of the payload. */
export const misfitOfPayload = (
  header: string,
  { salt, digest, begin }: { salt: string; digest: string; begin: string },
): string | undefined => {
  if (!endsWithDigest(header, digest)) return 'does not match its digest'
  // The digest covers salt and payload as one text. Their forms show where the salt ends and the payload begins.
  return saltForm.test(salt) && (begin === '{' || begin === '[')
    ? undefined
    : 'has a part of its payload in its salt'
}

/**
 * Says why the texts of an event do not fit its hashes; undefined: they fit. `isLong`: only header and leaf count.
 */
export const misfitOfTexts = (event: StoredTexts, isLong = false): string | undefined => {
  const { header, payload, salt } = event
  const misfit = misfitOfLeaf(event)
  if (misfit !== undefined || isLong || isErased(event)) return misfit
  if (payload === null) return 'has no payload'
  if (typeof payload !== 'string' || typeof salt !== 'string')
    return 'has a payload or a salt that is no text'
  return misfitOfPayload(header, { salt, digest: digestOf(salt, payload), begin: payload.slice(0, 1) })
}

/** Says why an event does not fit, in words that follow `the event at position N`; undefined: the event fits. */
export const misfitOf = (event: StoredTexts): string | undefined =>
  misfitOfTexts(event) ?? misfitOfPlace(event)
