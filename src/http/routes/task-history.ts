// The routes of the history of tasks: rollouts, the state machine, the comparison of two tasks, and the replay, which
// checks that the events of the log still give what GET answers.
import { largeFrom, only, type Piece } from '../../platform/pieces.ts'
import { rolloutForms } from '../../tasks/recall.ts'
import { inEnvelope, linesOf, pageOf } from '../answer/page.ts'
import { asLines, json, ndjson, sendText } from '../answer/send-text.ts'
import type { Serving, TaskDoor } from '../doors.ts'
import { momentOf, seesDeleted } from '../request/moment.ts'
import { type QueryReader, readQuery } from '../request/query.ts'
import { type App, answersOf, faultOf, readBy } from '../request/request.ts'
import { route } from '../route.ts'

/** The cursor, the size and the form of a page of rollouts. */
const pageQuery = (q: QueryReader, head: number) => ({
  after: q.cursor('after', head) ?? 0,
  limit: q.integer('limit', { min: 1, max: 1000, fallback: 100 }),
  form: q.oneOf('form', rolloutForms, 'whole'),
})

/** The rollouts of agent steps, a line for each. */
async function* stepLines<Steps>(
  steps: Promise<Steps>,
  rolloutsOf: (steps: Steps) => Parameters<typeof linesOf>[0],
): AsyncGenerator<Piece> {
  yield* linesOf(rolloutsOf(await steps), { atMost: largeFrom })
}

export const taskHistoryRoutes = (
  app: App,
  { queries, recall, machineOf }: Pick<TaskDoor, 'queries' | 'recall' | 'machineOf'>,
  serving: Serving,
): void => {
  route(app, 'getRollouts', {
    async handler(request, reply) {
      const { principal, params, query, envelopeId } = request
      const q = readQuery(query)
      const format = q.oneOf('format', ['json', 'jsonl', 'atif'], 'json')
      const { limit, ...wanted } = pageQuery(q, queries.headPosition())
      if (format === 'atif')
        for (const name of ['after', 'limit', 'form'])
          q.notBoth('format', name, ': an ATIF document has the whole task')
      q.done()
      const { id } = queries.visible(principal, params.task_id)
      readBy(serving, request)(id)
      const text = answersOf(serving, request, reply).folding(pause => {
        if (format === 'atif') return recall.atif(id, pause)
        const rollouts = recall.rollouts(id, wanted, pause)
        if (format === 'jsonl') return linesOf(rollouts, { limit, atMost: largeFrom })
        return pageOf(inEnvelope(envelopeId), rollouts, limit)
      })
      return sendText(reply, text, faultOf(serving, request), { type: format === 'jsonl' ? ndjson : json })
    },
  })

  route(app, 'listRollouts', {
    async handler(request, reply) {
      const { principal, query } = request
      const q = readQuery(query)
      const { after, limit, form } = pageQuery(q, queries.headPosition())
      q.done()
      const shows = readBy(serving, request)
      const text = answersOf(serving, request, reply).folding(pause =>
        stepLines(queries.steps(after, limit, principal.userId, pause), steps =>
          recall.bulk(steps, { form, shows }, pause),
        ),
      )
      return sendText(reply, text, faultOf(serving, request), asLines)
    },
  })

  route(app, 'diffTasks', {
    async handler(request, reply) {
      const { principal, params } = request
      const left = queries.visible(principal, params.task_id)
      const right = queries.visible(principal, params.other)
      const shows = readBy(serving, request)
      for (const { id } of [left, right]) shows(id)
      const text = answersOf(serving, request, reply).folding(pause =>
        only(recall.diff(left.id, right.id, pause).then(found => JSON.stringify(found))),
      )
      return sendText(reply, text, faultOf(serving, request))
    },
  })

  route(app, 'replayTask', {
    async handler(request, reply) {
      const row = queries.visible(request.principal, request.params.task_id)
      readBy(serving, request)(row.id)
      const q = readQuery(request.query)
      const moment = momentOf(q, 'at')
      q.done()
      const text = answersOf(serving, request, reply).folding(pause =>
        only(recall.replay(row, moment, pause).then(found => JSON.stringify(found))),
      )
      return sendText(reply, text, faultOf(serving, request))
    },
  })

  route(app, 'getMachine', {
    async handler(request, reply) {
      const { principal, params, query } = request
      const q = readQuery(query)
      const moment = momentOf(q)
      q.done()
      const withDeleted = moment !== undefined && seesDeleted(principal)
      const { id } = queries.visible(principal, params.task_id, withDeleted)
      readBy(serving, request)(id)
      const text = answersOf(serving, request, reply).folding(pause =>
        only(recall.placed(id, moment, pause).then(task => JSON.stringify(machineOf(task)))),
      )
      return sendText(reply, text, faultOf(serving, request))
    },
  })
}
