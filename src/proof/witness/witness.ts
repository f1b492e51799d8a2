// A witness (C2SP tlog-witness). It signs a checkpoint only when the log proves that it still contains everything that
// the witness has signed before. So a log cannot show different histories to different people.
import { NotProven } from '../not-proven.ts'
import { type Checkpoint, readCheckpoint } from '../note/checkpoint.ts'
import type { SigningKey, VerifierKey } from '../note/keys.ts'
import { type Note, readNote, signatureLine, writeNote } from '../note/note.ts'
import { signatureOf, signersOf } from '../note/signing.ts'
import { emptyRoot } from '../tree/hash.ts'
import { verifyConsistency } from '../tree/verify.ts'
import { type AddCheckpoint, readAddCheckpoint } from './request.ts'
import type { WitnessState } from './state.ts'

/** `isSize`: the text is the size of the checkpoint that the witness knows. */
export type Answer = { status: number; text: string; isSize?: true }

type Deps = {
  key: SigningKey
  /** The keys of the logs that this witness knows. The name of a key is the origin of its log. */
  logs: readonly VerifierKey[]
  state: WitnessState
  /** Milliseconds since 1970. */
  now: () => number
}

const refused = (status: number, text: string): Answer => ({ status, text: `${text}\n` })

/** Runs a check. When the check throws NotProven, returns the answer with this status. */
const check = <T>(status: number, run: () => T): { passed: T } | { answer: Answer } => {
  try {
    return { passed: run() }
  } catch (error) {
    if (error instanceof NotProven) return { answer: refused(status, error.message) }
    throw error
  }
}

type Asked = AddCheckpoint & { checkpoint: Checkpoint; signed: Note }
const read = (body: string): Asked => {
  const asked = readAddCheckpoint(body)
  const signed = readNote(asked.note)
  return { ...asked, signed, checkpoint: readCheckpoint(signed.text) }
}

export const createWitness = ({ key, logs, state, now }: Deps) => {
  /** The answer to a request whose form and signature are right. */
  const decide = ({ old, proof, checkpoint, signed }: Asked): Answer => {
    const { origin, size, root } = checkpoint
    if (old > size) return refused(400, `the old size ${old} is larger than the checkpoint`)
    const known = state.of(origin) ?? { size: 0, root: emptyRoot, note: '' }
    if (old !== known.size) return { status: 409, text: `${known.size}\n`, isSize: true }
    const verified = check(422, () => verifyConsistency(known, checkpoint, proof))
    if ('answer' in verified) return verified.answer
    const cosignature = signatureOf(signed.text, key, Math.floor(now() / 1000))
    const ofLog = signed.signatures.filter(({ name }) => name === origin)
    state.put(origin, {
      size,
      root,
      note: writeNote({ text: signed.text, signatures: [...ofLog, cosignature] }),
    })
    return { status: 200, text: signatureLine(cosignature) }
  }
  return {
    /** Answers one request to add a checkpoint. Throws errors of the system when the checkpoint cannot be stored. */
    add(body: string): Answer {
      const asked = check(400, () => read(body))
      if ('answer' in asked) return asked.answer
      const { checkpoint, signed } = asked.passed
      const keys = logs.filter(({ name }) => name === checkpoint.origin)
      if (keys.length === 0) return refused(404, `this witness does not know the log ${checkpoint.origin}`)
      const signers = check(403, () => signersOf(signed, keys))
      return 'answer' in signers ? signers.answer : decide(asked.passed)
    },
    /** The newest checkpoint of a log that the witness signed, as a note. */
    newest: (origin: string): string | undefined => state.of(origin)?.note,
  }
}
export type Witness = ReturnType<typeof createWitness>
