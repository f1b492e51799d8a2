// GET /audit/export: a history with its proofs, as an archive that a third party can verify alone.

import type { Principal } from '../../contract/events/token-events.ts'
import { Invalid, Refusal } from '../../contract/refusals.ts'
import type { Subject } from '../../proof/export/format.ts'
import { sendText } from '../answer/send-text.ts'
import type { ExportDoor, Serving } from '../doors.ts'
import { seesDeleted } from '../request/moment.ts'
import { type QueryReader, readQuery } from '../request/query.ts'
import { type App, answersOf, faultOf, readBy } from '../request/request.ts'
import { route } from '../route.ts'
import { showsStreams } from './audit.ts'
import { mustActForAll } from './proof.ts'

const subjectIn = (q: QueryReader): Subject => {
  const ids = { task: q.text('task_id'), session: q.text('session_id'), user: q.text('user_id') }
  const isAll = q.boolean('all', false)
  q.done()
  const named: Subject[] = isAll ? [{ kind: 'all', id: '' }] : []
  for (const kind of ['task', 'session', 'user'] as const)
    if (ids[kind] !== undefined) named.push({ kind, id: ids[kind] })
  const [subject, ...more] = named
  if (subject !== undefined && more.length === 0 && (isAll || subject.id !== '')) return subject
  const msg = 'Give exactly one of task_id, session_id, user_id and all=true'
  throw new Invalid([{ loc: ['query'], msg, type: 'value_error' }])
}

/** Throws a Refusal when a principal may not have the export of a user or of the whole log. */
const mustReach = (principal: Principal, { kind, id }: Subject): void => {
  if (kind === 'user' && principal.userId !== undefined && principal.userId !== id)
    throw new Refusal('TaskNotFound', undefined, `the log has no events of the user ${id}`)
  if (kind !== 'all') return
  mustActForAll(principal)
  if (principal.role === 'user')
    throw new Refusal('Forbidden', undefined, 'only auditors and admins get the whole log', {
      hint: 'Name a task, a session or a user, or use a token with the role auditor or admin.',
    })
}

export const exportRoutes = (app: App, { archive, queries }: ExportDoor, serving: Serving): void => {
  route(app, 'exportHistory', {
    async handler(request, reply) {
      const { principal } = request
      const subject = subjectIn(readQuery(request.query))
      mustReach(principal, subject)
      if (subject.kind === 'task') queries.visible(principal, subject.id, seesDeleted(principal))
      const shows = showsStreams(readBy(serving, request))
      const text = answersOf(serving, request, reply).exporting(() =>
        archive({ subject, owner: principal.userId, shows }),
      )
      void reply.header('content-disposition', 'attachment; filename="export.tar.gz"')
      return sendText(reply, text, faultOf(serving, request), { type: 'application/gzip', whole: 0 })
    },
  })
}
