// The routes of checkpoints, keys and proofs, with which an auditor checks the log without trusting the server.

import type { Principal } from '../../contract/events/token-events.ts'
import { Refusal } from '../../contract/refusals.ts'
import { toBase64 } from '../../proof/tree/hash.ts'
import type { ProofDoor } from '../doors.ts'
import { readQuery } from '../request/query.ts'
import type { App } from '../request/request.ts'
import { route } from '../route.ts'

const text = 'text/plain; charset=utf-8'

export const mustActForAll = ({ userId }: Principal): void => {
  if (userId !== undefined)
    throw new Refusal('Forbidden', undefined, 'a token of one user does not allow this', {
      hint: 'Use a token for all users.',
    })
}

/** The newest checkpoint. Rejects with NoCheckpoint if there is none. */
export const newestOf = async (newest: ProofDoor['newest']) => {
  const found = await newest()
  if (found === undefined) throw new Refusal('NoCheckpoint')
  return found
}

export const proofRoutes = (app: App, { newest, keys, tree, rotate }: ProofDoor): void => {
  const checkpoint = () => newestOf(newest)
  for (const id of ['getCheckpoint', 'getTlogCheckpoint'] as const) {
    route(app, id, { handler: async (_request, reply) => reply.type(text).send((await checkpoint()).text) })
  }

  route(app, 'getAuditKeys', {
    async handler(_request, reply) {
      const lines = keys().map(({ key, from }) => `${key.text} ${from}\n`)
      return reply.type(text).send(lines.join(''))
    },
  })

  route(app, 'rotateAuditKey', {
    async handler({ principal, envelopeId }) {
      mustActForAll(principal)
      const { key, from } = await rotate({ principal: principal.id, causation: envelopeId })
      return { key: key.text, first_size: from }
    },
  })

  route(app, 'proveInclusion', {
    async handler({ query }) {
      const { size } = await checkpoint()
      const q = readQuery(query)
      const treeSize = q.integer('tree_size', { min: 1, max: size, fallback: size })
      const position = q.integer('position', { min: 1, max: treeSize, fallback: 0 })
      if (position === 0 && q.problems().every(({ loc }) => loc[1] !== 'position'))
        q.problems().push({ loc: ['query', 'position'], msg: 'Field required', type: 'missing' })
      q.done()
      const { leaf, hashes } = await tree.ask('inclusion', { position, size: treeSize })
      return {
        position,
        leaf_index: position - 1,
        tree_size: treeSize,
        leaf: toBase64(leaf),
        hashes: hashes.map(toBase64),
      }
    },
  })

  route(app, 'proveConsistency', {
    async handler({ query }) {
      const { size } = await checkpoint()
      const q = readQuery(query)
      const to = q.integer('to', { min: 0, max: size, fallback: size })
      const from = q.integer('from', { min: 0, max: to, fallback: 0 })
      q.done()
      return { from, to, hashes: (await tree.ask('consistency', { from, to })).map(toBase64) }
    },
  })
}
