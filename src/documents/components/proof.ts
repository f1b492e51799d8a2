// The schemas of proofs.
import * as answers from '../../contract/audit-responses.ts'
import type { Components } from '../component.ts'

export const proofComponents: Components = {
  InclusionProof: {
    schema: answers.InclusionProof,
    about: 'A proof that an event is in the log (RFC 6962). Hashes are SHA-256 in base64.',
    fields: {
      position: 'The position of the event.',
      leaf_index: 'The number of its leaf in the tree, which is the position minus 1.',
      tree_size: 'The size of the tree.',
      leaf: 'The leaf: SHA-256(0x00 + header).',
      hashes: 'The other hashes, from the leaf to the root.',
    },
  },
  ConsistencyProof: {
    schema: answers.ConsistencyProof,
    about: 'A proof that the log only grew (RFC 6962). Hashes are SHA-256 in base64.',
    fields: {
      from: 'The size of the earlier tree.',
      to: 'The size of the later tree.',
      hashes: 'The hashes from which both roots follow.',
    },
  },
  AuditKey: {
    schema: answers.AuditKey,
    about: 'A key that signs checkpoints.',
    fields: {
      key: 'The key as a verifier key (C2SP signed-note).',
      first_size: 'The size of the smallest tree whose checkpoints it signs.',
    },
  },
}
