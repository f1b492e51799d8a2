// The routes that read the records of environment sessions, delete a session, and close inactive sessions.
import { Invalid } from '../../contract/refusals.ts'
import { recordOf, type SessionRow } from '../../env-sessions/queries.ts'
import type { Pause } from '../../fairness/slices.ts'
import { sendText } from '../answer/send-text.ts'
import type { ErasureDoor, Serving, SessionDoor } from '../doors.ts'
import { parametersOf } from '../request/parameters.ts'
import { readQuery } from '../request/query.ts'
import { type App, answersOf, askedOf, faultOf } from '../request/request.ts'
import { route } from '../route.ts'
import { answerErasure, isErasure } from './erasures.ts'

export const sessionRoutes = (app: App, door: SessionDoor, erasing: ErasureDoor, serving: Serving): void => {
  const { sessions, sessionQueries, sessionMachineOf, idleSeconds } = door
  async function* textOf(pages: Iterable<SessionRow[]>, pause: Pause): AsyncGenerator<string> {
    let total = 0
    await pause()
    yield '{"sessions":['
    for (const page of pages) {
      const records = page.map(row => JSON.stringify(recordOf(row, sessions.accessedAt(row.id))))
      yield (total === 0 ? '' : ',') + records.join(',')
      total += page.length
      await pause()
    }
    yield `],"total":${total}}`
  }

  route(app, 'getSession', {
    async handler({ principal, params }) {
      const row = sessionQueries.visible(principal, params.session_id)
      return recordOf(row, sessions.accessedAt(row.id))
    },
  })

  route(app, 'deleteSession', {
    async handler(request, reply) {
      const { session_id } = request.params
      if (isErasure(request))
        return answerErasure(erasing, serving, request, reply, { kind: 'session', id: session_id })
      await sessions.remove(askedOf(request), session_id)
      return { status: 'deleted', session_id, message: `session ${session_id} is deleted` }
    },
  })

  route(app, 'getSessionMachine', {
    async handler({ principal, params }) {
      const { id } = sessionQueries.visible(principal, params.session_id)
      return sessionMachineOf((await sessions.viewOf(id)).state)
    },
  })

  route(app, 'listSessions', {
    async handler(request, reply) {
      const { principal, query } = request
      const q = readQuery(query)
      const { userId: named, limit, search, state, ...from } = parametersOf('listSessions', q)
      const wanted = { ...from, search: search || undefined, isActive: state !== undefined }
      q.done()
      const user = principal.userId ?? named
      // A caller whose token belongs to one user does not see the sessions of another user.
      const pages = named !== undefined && named !== user ? [] : sessionQueries.pages(user)
      const { pause } = answersOf(serving, request, reply)
      if (limit === undefined) return sendText(reply, textOf(pages, pause), faultOf(serving, request))
      const isOthers = named !== undefined && named !== user
      const page = isOthers
        ? { found: [], more: false }
        : await sessionQueries.newest(principal, { user, limit, ...wanted }, pause)
      if (page === undefined) {
        const msg = 'There is no session with this id'
        throw new Invalid([{ loc: ['query', 'starting_after'], msg, type: 'value_error' }])
      }
      const records = page.found.map(row => recordOf(row, sessions.accessedAt(row.id)))
      return { sessions: records, total: records.length, has_more: page.more }
    },
  })

  route(app, 'cleanUpSessions', {
    async handler(request) {
      const q = readQuery(request.query)
      const seconds = q.integer('inactive_seconds', { min: 0, fallback: idleSeconds })
      q.done()
      const cleaned = await sessions.cleanUp(askedOf(request), seconds, request.principal.userId)
      return { status: 'ok', cleaned_count: cleaned.length, cleaned_sessions: cleaned }
    },
  })
}
