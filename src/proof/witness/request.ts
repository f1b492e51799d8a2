// Writes and reads a log's request to a witness (C2SP tlog-witness): the size of the checkpoint that the witness knows,
// the new checkpoint, and before it the proof that the new tree begins with the tree that the witness knows.
import { NotProven } from '../not-proven.ts'
import { fromBase64, type Hash, toBase64 } from '../tree/hash.ts'

export type AddCheckpoint = { old: number; proof: Hash[]; note: string }

const mostHashes = 63
/** The content type of an answer that names the size of the checkpoint that the witness knows. */
export const sizeType = 'text/x.tlog.size'

export const writeAddCheckpoint = ({ old, proof, note }: AddCheckpoint): string =>
  [`old ${old}`, ...proof.map(toBase64), '', note].join('\n')

/** Throws NotProven. */
export const readAddCheckpoint = (text: string): AddCheckpoint => {
  const gap = text.indexOf('\n\n')
  const [first = '', ...hashes] = text.slice(0, Math.max(0, gap)).split('\n')
  const [, size] = /^old (0|[1-9]\d*)$/.exec(first) ?? []
  if (size === undefined || !Number.isSafeInteger(Number(size)))
    throw new NotProven('the first line must be "old" and a size')
  if (hashes.length > mostHashes) throw new NotProven(`a proof has at most ${mostHashes} hashes`)
  return { old: Number(size), proof: hashes.map(fromBase64), note: text.slice(gap + 2) }
}
