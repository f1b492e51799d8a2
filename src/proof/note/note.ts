// Reads and writes signed notes (C2SP signed-note): a text, an empty line, and a line for each signature.
import { NotProven } from '../not-proven.ts'
import { base64Of, bytesOfBase64, bytesOfHex, hexOf, joined } from './bytes.ts'

/** `id`: the id of the key, eight hexadecimal digits. `bytes`: the bytes that follow the id. */
export type Signature = { name: string; id: string; bytes: Uint8Array }
/** `text` ends with a line end. */
export type Note = { text: string; signatures: Signature[] }

/** A note with more characters or more signatures is not read, so that nobody can keep a reader busy. */
const mostChars = 1_000_000
const mostSignatures = 100
const idBytes = 4

// biome-ignore lint/suspicious/noControlCharactersInRegex: a note must not contain them
const control = /[\u0000-\u0009\u000b-\u001f]/

/** A signature as a line, with its line end. */
export const signatureLine = ({ name, id, bytes }: Signature): string =>
  `— ${name} ${base64Of(joined(bytesOfHex(id), bytes))}\n`

/** Reads a line without its line end. Throws NotProven. */
export const readSignatureLine = (line: string): Signature => {
  const [, name = '', encoded = ''] = /^— ([^\s+]+) ([\w+/=]+)$/u.exec(line) ?? []
  const bytes = bytesOfBase64(encoded)
  if (bytes === undefined || bytes.length <= idBytes)
    throw new NotProven(`${JSON.stringify(line.slice(0, 100))} is no signature of a note`)
  return { name, id: hexOf(bytes.subarray(0, idBytes)), bytes: bytes.subarray(idBytes) }
}

export const writeNote = ({ text, signatures }: Note): string =>
  `${text}\n${signatures.map(signatureLine).join('')}`

/** Reads a note, and does not verify its signatures (signing.ts does that). Throws NotProven. */
export const readNote = (note: string): Note => {
  if (note.length > mostChars) throw new NotProven(`the note has more than ${mostChars} characters`)
  if (control.test(note)) throw new NotProven('the note contains a control character')
  const gap = note.lastIndexOf('\n\n')
  if (gap === -1 || !note.endsWith('\n'))
    throw new NotProven('this is no signed note: an empty line must follow its text, and then its signatures')
  const lines = note
    .slice(gap + 2)
    .split('\n')
    .slice(0, -1)
  if (lines.length > mostSignatures)
    throw new NotProven(`the note has more than ${mostSignatures} signatures`)
  if (lines.length === 0) throw new NotProven('the note has no signature')
  return { text: note.slice(0, gap + 1), signatures: lines.map(readSignatureLine) }
}
