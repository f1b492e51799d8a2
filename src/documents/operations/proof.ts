// The operations that prove what the log holds: checkpoints, keys, proofs and tiles.
import Type from 'typebox'
import { AuditKey, ConsistencyProof, InclusionProof } from '../../contract/audit-responses.ts'
import { defineOperations, json } from '../operation.ts'
import { query, text } from '../parameters.ts'

const size = Type.Integer({ minimum: 0 })
const bytes = Type.String({ format: 'binary' })
const level = { in: 'path', name: 'level', schema: text, about: 'The level of the tile, from 0.' } as const
const tile = {
  in: 'path',
  name: 'tile',
  schema: text,
  about:
    'The number of the tile in groups of three digits, such as `x001/x234/067`; for a tile that is not full, followed by `.p/` and its number of hashes. The slashes may be percent-encoded.',
} as const
const note = 'text/plain'

export const proofOperations = defineOperations({
  getCheckpoint: {
    method: 'GET',
    path: '/v1/audit/checkpoint',
    tag: 'Proof',
    access: 'read',
    summary: 'Get the newest checkpoint',
    about:
      'A signed note with the name of the log, the number of its events, and the root of the tree over them (C2SP tlog-checkpoint). While events are stored, it is at most a second old.',
    answers: [{ status: 200, about: 'The note.', type: note, schema: text }],
    refusals: ['NoCheckpoint'],
  },
  getAuditKeys: {
    method: 'GET',
    path: '/v1/audit/public-key',
    tag: 'Proof',
    access: 'read',
    summary: 'Get the keys that sign checkpoints',
    about:
      'A line for each key, the oldest first: the key as a verifier key (C2SP signed-note), a space, and the size of the smallest tree whose checkpoints it signs.',
    answers: [{ status: 200, about: 'The keys.', type: note, schema: text }],
  },
  rotateAuditKey: {
    method: 'POST',
    path: '/v1/audit/rotate-key',
    tag: 'Proof',
    access: 'manage',
    summary: 'Change the key that signs checkpoints',
    about:
      'Makes a new key. An event with the signatures of both keys says so in the log; checkpoints from that event on have the signature of the new key.',
    answers: [{ status: 200, about: 'The new key.', type: json, schema: AuditKey }],
  },
  proveInclusion: {
    method: 'GET',
    path: '/v1/audit/proof',
    tag: 'Proof',
    access: 'read',
    summary: 'Prove that an event is in the log',
    about: 'The leaf of an event, and the hashes that lead from it to the root of a checkpoint (RFC 6962).',
    parameters: [
      query('position', Type.Integer({ minimum: 1 }), 'The position of the event. Required.'),
      query('tree_size', size, 'The size of the checkpoint. Without it, that of the newest one.'),
    ],
    answers: [{ status: 200, about: 'The proof.', type: json, schema: InclusionProof }],
    refusals: ['NoCheckpoint'],
  },
  proveConsistency: {
    method: 'GET',
    path: '/v1/audit/consistency',
    tag: 'Proof',
    access: 'read',
    summary: 'Prove that the log only grew',
    about:
      'The hashes that prove that the tree of one size begins with the tree of a smaller size (RFC 6962).',
    parameters: [
      query('from', size, 'The size of the earlier checkpoint. Without it, 0.'),
      query('to', size, 'The size of the later checkpoint. Without it, that of the newest one.'),
    ],
    answers: [{ status: 200, about: 'The proof.', type: json, schema: ConsistencyProof }],
    refusals: ['NoCheckpoint'],
  },
  exportHistory: {
    method: 'GET',
    path: '/v1/audit/export',
    tag: 'Proof',
    access: 'read',
    summary: 'Export a history with its proofs',
    about:
      'An archive (`.tar.gz`) with the events of a task, a session or a user, or with the whole log: headers, payloads, salts, proofs, a checkpoint, the keys of the log, and a verifier that needs only Node (`node verify.mjs`). Exactly one of the parameters must be given. A token of one user exports only what that user owns. The checkpoint covers everything that was stored before the request.',
    parameters: [
      query('task_id', text, 'The events of this task.'),
      query('session_id', text, 'The tasks of this session, and the environment session with this id.'),
      query('user_id', text, 'Everything of this user.'),
      query(
        'all',
        Type.Boolean({ default: false }),
        '`true`: the whole log. The token must have the role `auditor` or `admin` and act for all users.',
      ),
    ],
    answers: [{ status: 200, about: 'The archive.', type: 'application/gzip', schema: bytes }],
    refusals: ['TaskNotFound', 'Forbidden', 'NoCheckpoint'],
  },
  getTlogCheckpoint: {
    method: 'GET',
    path: '/v1/audit/tlog/checkpoint',
    tag: 'Proof',
    access: 'read',
    summary: 'Get the newest checkpoint, beside the tiles',
    about: 'The same note as `getCheckpoint`, at the path where clients of C2SP tlog-tiles look for it.',
    answers: [{ status: 200, about: 'The note.', type: note, schema: text }],
    refusals: ['NoCheckpoint'],
  },
  getTile: {
    method: 'GET',
    path: '/v1/audit/tlog/tile/{level}/{tile}',
    tag: 'Proof',
    access: 'read',
    summary: 'Get a tile of the tree',
    about: 'Up to 256 hashes of 32 bytes that follow each other on one level of the tree (C2SP tlog-tiles).',
    parameters: [level, tile],
    answers: [{ status: 200, about: 'The hashes.', type: 'application/octet-stream', schema: bytes }],
    refusals: ['NoCheckpoint', 'TileNotFound'],
  },
  getTileEntries: {
    method: 'GET',
    path: '/v1/audit/tlog/tile/entries/{tile}',
    tag: 'Proof',
    access: 'audit',
    summary: 'Get the headers below a tile',
    about:
      'The stored headers of up to 256 events, each after its length in two bytes (C2SP tlog-tiles). The token must act for all users.',
    parameters: [tile],
    answers: [{ status: 200, about: 'The headers.', type: 'application/octet-stream', schema: bytes }],
    refusals: ['NoCheckpoint', 'TileNotFound'],
  },
})
