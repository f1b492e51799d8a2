// A task's own history: its rollouts, its machine, and the proof that the log still says what GET answers.
import { Readable } from 'node:stream'
import type { Rollout } from '../history/rollouts.ts'
import type { App, Parts } from './parts.ts'
import { readQuery } from './query.ts'

type ById = { Params: { task_id: string } }

const ndjson = 'application/x-ndjson; charset=utf-8'
const lineOf = (rollout: Rollout): string => `${JSON.stringify(rollout)}\n`

export const taskHistoryRoutes = (app: App, parts: Parts): void => {
  const { queries, recall } = parts

  app.route<ById>({
    method: 'GET',
    url: '/tasks/:task_id/rollouts',
    config: { access: 'read' },
    async handler({ principal, params, query, envelopeId }, reply) {
      const q = readQuery(query)
      const format = q.oneOf('format', ['json', 'jsonl', 'atif'], 'json')
      q.done()
      const { id } = queries.visible(principal, params.task_id)
      if (format === 'atif') return reply.send(await recall.atif(id))
      const rollouts = await recall.rollouts(id)
      if (format === 'jsonl') return reply.type(ndjson).send(rollouts.map(lineOf).join(''))
      return reply.send({ jsonrpc: '2.0', id: envelopeId, result: rollouts })
    },
  })

  app.route({
    method: 'GET',
    url: '/rollouts',
    config: { access: 'read' },
    async handler({ principal, query }, reply) {
      const q = readQuery(query)
      const after = q.integer('after', { min: 0, fallback: 0 })
      const limit = q.integer('limit', { min: 1, max: 1000, fallback: 100 })
      q.done()
      async function* lines() {
        for await (const rollout of recall.bulk(after, limit, principal.userId)) yield lineOf(rollout)
      }
      return reply.type(ndjson).send(Readable.from(lines()))
    },
  })

  app.route<ById>({
    method: 'POST',
    url: '/tasks/:task_id/replay',
    config: { access: 'read' },
    handler: ({ principal, params }) => recall.replay(queries.visible(principal, params.task_id)),
  })

  app.route<ById>({
    method: 'GET',
    url: '/tasks/:task_id/machine',
    config: { access: 'read' },
    handler: async ({ principal, params }) =>
      parts.machineOf(queries.visible(principal, params.task_id).status),
  })
}
