// Signed notes and checkpoints against the examples of their specifications, and against what is not quite a note.
import t from 'tap'
import {
  openCheckpoint,
  originOf,
  readCheckpoint,
  signCheckpoint,
  writeCheckpoint,
} from '../../src/proof/note/checkpoint.ts'
import {
  makeSigningKey,
  readSigningKey,
  readVerifierKey,
  writeSigningKey,
} from '../../src/proof/note/keys.ts'
import { readNote, readSignatureLine, signatureLine, writeNote } from '../../src/proof/note/note.ts'
import { signatureOf, signersOf, timeOf } from '../../src/proof/note/signing.ts'
import { provesNothing, someLeaves } from './trees.ts'

/** The example of C2SP signed-note. */
const example = {
  key: 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k',
  note: 'This is an example message.\n\n— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n',
}
/** The example of Go's package note, with its signing key. */
const go = {
  key: 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
  signing: 'PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz',
  text: "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n",
  line: '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n',
}
const root = someLeaves(1)[0] ?? ''
const origin = originOf('log_1')

t.test('the examples of the specifications are verified and signed to the byte', t => {
  const key = readVerifierKey(example.key)
  const note = readNote(example.note)
  t.equal(note.text, 'This is an example message.\n')
  t.same(signersOf(note, [key]), [key])
  t.equal(writeNote(note), example.note)

  const signing = readSigningKey(go.signing)
  t.equal(signing.verifier.text, go.key)
  t.equal(writeSigningKey(signing), go.signing)
  t.equal(signatureLine(signatureOf(go.text, signing)), go.line)
  t.end()
})

t.test('a key has one text, and a changed text is no key', t => {
  const { verifier } = makeSigningKey(origin, 'note')
  t.same(readVerifierKey(verifier.text), verifier)
  const [name = '', id = '', bytes = ''] = verifier.text.split('+')
  for (const bad of [
    '',
    name,
    `${name}+${id}`,
    `${name}+00000000+${bytes}`,
    `a b+${id}+${bytes}`,
    `+${id}+${bytes}`,
    `${verifier.text}=`,
  ])
    t.ok(
      provesNothing(() => readVerifierKey(bad)),
      bad,
    )
  t.ok(
    provesNothing(() => readVerifierKey(go.key.replace('+AR', '+BR'))),
    'another kind of key',
  )
  t.throws(() => readSigningKey(go.key), /must begin with PRIVATE/)
  for (const bad of ['', 'a b', 'a+b']) t.ok(provesNothing(() => makeSigningKey(bad, 'note')))
  t.end()
})

t.test('an error about a signing key does not show the key', t => {
  const secret = go.signing.slice(0, -6)
  try {
    readSigningKey(secret)
    t.fail('a short key was read')
  } catch (error) {
    t.notMatch(String(error), 'AYEKFALVFGy')
  }
  t.end()
})

t.test('what is not quite a note is refused', t => {
  const [text = '', line = ''] = example.note.split('\n\n')
  for (const bad of [
    '',
    text,
    `${text}\n`,
    `${text}\n\n`,
    `${text}\n${line}`,
    example.note.slice(0, -1),
    `${example.note}\n`,
    example.note.replace('—', '-'),
    example.note.replace('foo Uw', 'foo  Uw'),
    example.note.replace('message', 'mess\u0007age'),
    example.note.replace('\n\n', '\r\n\r\n'),
    `${example.note.slice(0, -6)}\n`,
    example.note + line.repeat(101),
    `${'x'.repeat(1_000_001)}\n\n${line}`,
  ])
    t.ok(
      provesNothing(() => readNote(bad)),
      JSON.stringify(bad.slice(0, 60)),
    )
  t.end()
})

t.test('a note without a known key, or with a wrong signature of one, is refused', t => {
  const note = readNote(example.note)
  const known = readVerifierKey(example.key)
  const other = makeSigningKey('example.com/foo', 'note')
  t.throws(() => signersOf(note, []), /no key was given/)
  t.throws(() => signersOf(note, [other.verifier]), /none of these is a given key/)
  t.throws(() => signersOf({ ...note, text: 'This is another message.\n' }, [known]), /does not fit/)
  const claimed = { ...signatureOf(note.text, other), id: known.id }
  t.throws(
    () => signersOf({ ...note, signatures: [...note.signatures, claimed] }, [known]),
    /does not fit/,
    'a second signature in the name of the same key',
  )
  const both = { ...note, signatures: [...note.signatures, signatureOf(note.text, other)] }
  t.same(signersOf(both, [known, other.verifier]), [known, other.verifier])
  t.same(signersOf(both, [other.verifier]), [other.verifier], 'signatures of unknown keys are ignored')
  t.end()
})

t.test('a witness signs the checkpoint together with the time', t => {
  const witness = makeSigningKey('witness.example/w', 'cosignature')
  const text = writeCheckpoint({ origin, size: 1, root })
  const signature = signatureOf(text, witness, 1_700_000_000)
  t.equal(timeOf(signature), 1_700_000_000)
  t.same(signersOf({ text, signatures: [signature] }, [witness.verifier]), [witness.verifier])
  signature.bytes[7] = (signature.bytes[7] ?? 0) + 1 // a second later
  t.throws(() => signersOf({ text, signatures: [signature] }, [witness.verifier]), /does not fit/)
  const short = { ...signature, bytes: signature.bytes.subarray(0, 8) }
  t.throws(() => signersOf({ text, signatures: [short] }, [witness.verifier]), /does not fit/)
  t.same(readSignatureLine(signatureLine(signature).trimEnd()), signature)
  t.end()
})

t.test('a checkpoint is read as it was written, and only for its log', t => {
  const key = makeSigningKey(origin, 'note')
  const note = signCheckpoint({ origin, size: 20_852_163, root }, [key])
  const read = openCheckpoint(note, origin, [key.verifier])
  t.match(read, { origin, size: 20_852_163, root })
  t.same(read.signers, [key.verifier])
  t.throws(() => openCheckpoint(note, originOf('log_2'), [key.verifier]), /is of reprise\/log_1, not of/)
  t.throws(() => openCheckpoint(note.replace('163', '164'), origin, [key.verifier]), /does not fit/)
  t.end()
})

t.test('what is not quite a checkpoint is refused', t => {
  const text = writeCheckpoint({ origin, size: 7, root })
  t.same(readCheckpoint(`${text}an extension\n`), { origin, size: 7, root })
  for (const bad of [
    '',
    `${origin}\n7\n`,
    text.replace('7', '07'),
    text.replace('7', '-7'),
    text.replace('7', '7.0'),
    text.replace('\n7\n', '\n9007199254740993\n'),
    text.replace('\n7\n', '\n\n'),
    text.replace('=', ''),
    `\n${text}`,
    `${text}\n`,
  ])
    t.ok(
      provesNothing(() => readCheckpoint(bad)),
      JSON.stringify(bad),
    )
  t.equal(readCheckpoint(text.replace('7', '0')).size, 0)
  t.end()
})
