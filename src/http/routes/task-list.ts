// GET /tasks: pages of whole tasks or of summaries, and counts of tasks.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Invalid } from '../../contract/refusals.ts'
import type { Pause } from '../../fairness/slices.ts'
import { joined } from '../../platform/pieces.ts'
import { envelope } from '../answer/envelope.ts'
import { sendText } from '../answer/send-text.ts'
import type { Serving, TaskDoor } from '../doors.ts'
import { momentOfList, seesDeleted } from '../request/moment.ts'
import { parametersOf } from '../request/parameters.ts'
import { readQuery } from '../request/query.ts'
import { type App, answersOf, faultOf, readBy } from '../request/request.ts'
import { route } from '../route.ts'

const listQuery = (query: unknown) => {
  const q = readQuery(query)
  const { fields, status, ...filters } = parametersOf('listTasks', q, 'as_of')
  const statuses = [...new Set(status)]
  const moment = momentOfList(q)
  q.notBoth('as_of', 'fields')
  q.notBoth('starting_after', 'ending_before')
  q.done()
  return { ...filters, statuses, moment, isSummary: fields === 'summary', isCount: fields === 'counts' }
}

type Query = Omit<ReturnType<typeof listQuery>, 'isCount'>

export const taskListRoutes = (
  app: App,
  { queries, recall }: Pick<TaskDoor, 'queries' | 'recall'>,
  serving: Serving,
): void => {
  const pageOf = async ({ principal }: FastifyRequest, { moment, ...query }: Query, pause: Pause) => {
    if (moment === undefined) return queries.list(query, principal.userId, pause)
    const position = recall.positionAt(moment)
    const asOf = { position, withDeleted: seesDeleted(principal) }
    const found = await queries.listThen({ ...query, asOf }, principal.userId, pause)
    if ('unknownCursor' in found) return found
    const texts = await recall.textsThen(found.tasks, position, pause)
    return {
      more: found.more,
      tasks: found.tasks.map(({ id }, n) => ({ id, text: '', size: 0, ...texts[n] })),
    }
  }

  const sendPage = async (request: FastifyRequest, reply: FastifyReply, query: Query) => {
    const answers = answersOf(serving, request, reply)
    const found = await pageOf(request, query, answers.pause)
    if ('unknownCursor' in found) {
      const name = query.startingAfter === undefined ? 'ending_before' : 'starting_after'
      const msg = 'There is no task with this id'
      throw new Invalid([{ loc: ['query', name], msg, type: 'value_error' }])
    }
    const { tasks, more } = found
    const shows = readBy(serving, request)
    for (const { id } of tasks) shows(id)
    const [first, last] = [tasks[0], tasks.at(-1)]
    if (more && first !== undefined && last !== undefined) {
      const link =
        query.endingBefore === undefined
          ? linkTo(serving.addressOf(request.url), { starting_after: last.id }, 'next')
          : linkTo(serving.addressOf(request.url), { ending_before: first.id }, 'prev')
      void reply.header('link', link)
    }
    const texts = tasks.flatMap(({ text }, n) => (n === 0 ? [text] : [',', text]))
    const size = tasks.reduce((sum, task) => sum + task.size, 0)
    const text = envelope(request.envelopeId, joined('[', ...texts, ']'))
    return sendText(reply, answers.stored(text, size), faultOf(serving, request))
  }

  route(app, 'listTasks', {
    async handler(request, reply) {
      const { isCount, ...query } = listQuery(request.query)
      if (!isCount) return sendPage(request, reply, query)
      const { pause } = answersOf(serving, request, reply)
      const result = await queries.countTasks(query, request.principal.userId, pause)
      return { jsonrpc: '2.0', id: request.envelopeId, result }
    },
  })
}

/** A link to another page: the address of this request with another cursor. */
const linkTo = (url: string, cursor: Record<string, string>, rel: string): string => {
  const target = new URL(url, 'http://host')
  for (const name of ['starting_after', 'ending_before']) target.searchParams.delete(name)
  for (const [name, value] of Object.entries(cursor)) target.searchParams.set(name, value)
  return `<${target.pathname}${target.search}>; rel="${rel}"`
}
