// Our checkpoints and proofs of inclusion are accepted by the verifier of Sigstore's clients, which is not our code.
import { createPublicKey } from 'node:crypto'
import { verifyCheckpoint } from '@sigstore/verify/dist/tlog/checkpoint.js'
import { verifyMerkleInclusion } from '@sigstore/verify/dist/tlog/merkle.js'
import t from 'tap'
import { originOf, signCheckpoint } from '../../src/proof/note/checkpoint.ts'
import { makeSigningKey } from '../../src/proof/note/keys.ts'
import { createGrowingTree } from '../../src/proof/tree/growing.ts'
import type { Hash } from '../../src/proof/tree/hash.ts'
import { inclusionProof } from '../../src/proof/tree/proofs.ts'
import { fullOf, leafOfBytes } from './trees.ts'

const size = 70
const bodies = Array.from({ length: size }, (_, n) => Buffer.from(`header ${n}`))
const leaves = bodies.map(leafOfBytes)
const full = fullOf(leaves)
const tree = createGrowingTree()
for (const leaf of leaves) tree.add(leaf)

const origin = originOf('log_1')
const signing = makeSigningKey(origin, 'note')
const { id, publicKey } = signing.verifier
const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), publicKey])
const authority = {
  logID: Buffer.from(id, 'hex'),
  baseURL: origin,
  publicKey: createPublicKey({ key: spki, format: 'der', type: 'spki' }),
  validFor: { start: new Date(0), end: new Date(8.64e15) },
}
const checkpoint = signCheckpoint({ origin, size, root: tree.root() }, [signing])

const bytesOf = (hash: Hash) => Buffer.from(hash, 'base64url')
const entryOf = (index: number, hashes: Hash[], envelope = checkpoint) => ({
  logIndex: String(index),
  logId: { keyId: authority.logID },
  kindVersion: { kind: 'event', version: '1' },
  integratedTime: '0',
  inclusionPromise: undefined,
  inclusionProof: {
    logIndex: String(index),
    rootHash: bytesOf(tree.root()),
    treeSize: String(size),
    hashes: hashes.map(bytesOf),
    checkpoint: { envelope },
  },
  canonicalizedBody: bodies[index] ?? Buffer.alloc(0),
})
const accepts = (entry: ReturnType<typeof entryOf>): void =>
  verifyMerkleInclusion(entry, verifyCheckpoint(entry, [authority]))

t.test('every event is found in a signed checkpoint', async () => {
  for (let index = 0; index < size; index++) accepts(entryOf(index, inclusionProof(index, size, full)))
})

t.test('the proof of another event and a forged checkpoint are refused', async t => {
  const proof = inclusionProof(3, size, full)
  t.throws(() => accepts(entryOf(4, proof)), /does not match/)
  t.throws(() => accepts(entryOf(3, proof, checkpoint.replace('70', '71'))), /invalid checkpoint signature/)
})
