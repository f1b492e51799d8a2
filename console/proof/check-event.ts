// Checks one stored event against a signed checkpoint: its payload, its header, its place in the tree, and the signature.
import { NotProven } from '../../src/proof/not-proven.ts'
import { fromBase64, toBase64 } from '../../src/proof/tree/hash.ts'
import { rootByInclusion } from '../../src/proof/tree/verify.ts'
import { openCheckpoint, readKeys } from './keys.ts'
import { hashOfText } from './sha256.ts'

/** A stored event with the exact texts from which its hashes were made. */
export type StoredEvent = {
  position: number
  stream: string
  revision: number
  type: string
  time: string
  header: string
  /** `payload` and `salt` are null when they were erased. */
  payload: string | null
  salt: string | null
  /** The leaf as the server stores it; undefined: only the header is known, from which the leaf is computed. */
  leaf_hash?: string
}
/** Everything that the proof of an event needs. `hashes`: from the leaf to the root, in base64. */
export type Evidence = {
  event: StoredEvent
  note: string
  keys: string
  leafIndex: number
  hashes: readonly string[]
}

/** A step of the check. `found`: what was computed here; `expected`: what it must be. */
export type Step = { name: string; about: string; found: string; expected: string; isRight: boolean }

const step = (name: string, about: string, expected: string, find: () => string): Step => {
  try {
    const found = find()
    return { name, about, found, expected, isRight: found === expected }
  } catch (error) {
    if (!(error instanceof NotProven || error instanceof SyntaxError)) throw error
    return { name, about, found: error.message, expected, isRight: false }
  }
}

/** The steps of the check. The event is proven only if all of them are right. */
export const checkEvent = ({ event, note, keys, leafIndex, hashes }: Evidence): Step[] => {
  const { header, payload, salt } = event
  const leaf = hashOfText(`\0${header}`)
  const [origin = '', size = '0', root = ''] = note.split('\n')
  const named = (JSON.parse(header) as { digest?: string }).digest ?? ''
  return [
    payload === null
      ? step('Payload', 'It was erased. Its digest is still in the header.', named, () => named)
      : step('Payload', 'The digest of the payload is the one in the header.', named, () =>
          hashOfText(salt + payload),
        ),
    event.leaf_hash === undefined
      ? step('Leaf', 'The hash of the header is the leaf.', leaf, () => leaf)
      : step('Leaf', 'The hash of the header is the stored leaf.', event.leaf_hash, () => leaf),
    step('Tree', `The path from the leaf leads to the root over ${size} events.`, root, () =>
      toBase64(rootByInclusion(leaf, leafIndex, Number(size), hashes.map(fromBase64))),
    ),
    step('Signature', `A key of the log ${origin} has signed this root.`, 'signed', () => {
      openCheckpoint(note, readKeys(keys))
      return 'signed'
    }),
  ]
}

/** The same evidence with another letter in the payload, to see the check fail. */
export const withChange = (evidence: Evidence): Evidence => {
  const { payload } = evidence.event
  if (payload === null) return evidence
  const middle = Math.floor(payload.length / 2)
  const other = payload[middle] === 'x' ? 'y' : 'x'
  const changed = payload.slice(0, middle) + other + payload.slice(middle + 1)
  return { ...evidence, event: { ...evidence.event, payload: changed } }
}
