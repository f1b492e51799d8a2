// Environment sessions over HTTP: records, deletion, and the cleaning up of those that nobody uses.
import type { FastifyRequest } from 'fastify'
import { recordOf } from '../session-queries.ts'
import type { App, Parts } from './parts.ts'
import { readQuery } from './query.ts'

type ById = { Params: { session_id: string } }

export const sessionRoutes = (
  app: App,
  { sessions, sessionQueries, sessionMachineOf, idleSeconds }: Parts,
): void => {
  const asked = ({ principal, envelopeId }: FastifyRequest) => ({ principal, requestId: envelopeId })

  app.route<ById>({
    method: 'GET',
    url: '/env/session/:session_id',
    config: { access: 'read' },
    async handler({ principal, params }) {
      const row = sessionQueries.visible(principal, params.session_id)
      return recordOf(row, sessions.accessedAt(row.id))
    },
  })

  app.route<ById>({
    method: 'DELETE',
    url: '/env/session/:session_id',
    config: { access: 'write' },
    async handler(request) {
      const { session_id } = request.params
      await sessions.remove(asked(request), session_id)
      return { status: 'deleted', session_id, message: `session ${session_id} is deleted` }
    },
  })

  app.route<ById>({
    method: 'GET',
    url: '/env/session/:session_id/machine',
    config: { access: 'read' },
    async handler({ principal, params }) {
      const { id } = sessionQueries.visible(principal, params.session_id)
      return sessionMachineOf((await sessions.viewOf(id)).state)
    },
  })

  app.route({
    method: 'GET',
    url: '/env/sessions',
    config: { access: 'read' },
    async handler({ principal, query }) {
      const q = readQuery(query)
      const named = q.text('user_id')
      q.done()
      const user = principal.userId ?? named
      // Another user's are not there.
      const rows = named !== undefined && named !== user ? [] : sessionQueries.list(user)
      const records = rows.map(row => recordOf(row, sessions.accessedAt(row.id)))
      return { sessions: records, total: records.length }
    },
  })

  app.route({
    method: 'POST',
    url: '/env/sessions/cleanup',
    config: { access: 'write' },
    async handler(request) {
      const q = readQuery(request.query)
      const seconds = q.integer('inactive_seconds', { min: 0, fallback: idleSeconds })
      q.done()
      const cleaned = await sessions.cleanUp(asked(request), seconds, request.principal.userId)
      return { status: 'ok', cleaned_count: cleaned.length, cleaned_sessions: cleaned }
    },
  })
}
