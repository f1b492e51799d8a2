// The routes of erasures and legal holds.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { may, roleRefused, type TokenAccess } from '../../access/roles.ts'
import { Invalid, Refusal } from '../../contract/refusals.ts'
import { listByName, rowsAfter } from '../answer/listing.ts'
import { answerWhenReady } from '../answer/slow-answer.ts'
import type { ErasureDoor, Serving } from '../doors.ts'
import { readQuery } from '../request/query.ts'
import { type App, askedOf, faultOf } from '../request/request.ts'
import { route } from '../route.ts'
import { mustActForAll } from './proof.ts'

const longestReason = 2000

const holdList = listByName('listHolds')
/** The ids of holds grow with time. */
const idOfHold = ({ hold_id }: { hold_id: string }): string => hold_id

const mustBeAllowed = ({ principal }: FastifyRequest, access: TokenAccess): void => {
  if (!may(principal.role, access)) throw roleRefused(principal.role, access)
}

/** Reads the parameters of an erasure. `mayErase`: a DELETE, which erases only with `erase=true`. Throws Invalid. */
const wishIn = (request: FastifyRequest, mayErase: boolean) => {
  const q = readQuery(request.query)
  const erase = !mayErase || q.boolean('erase', false)
  const [reason = '', cascade, userId] = [q.text('reason'), q.boolean('cascade', false), q.text('user_id')]
  const problems = q.problems()
  const loc = ['query', 'reason']
  if (erase && reason.trim() === '' && problems.every(problem => problem.loc[1] !== 'reason'))
    problems.push({ loc, msg: 'Say why this is erased: the log keeps the reason', type: 'missing' })
  else if (reason.length > longestReason)
    problems.push({ loc, msg: `A reason has at most ${longestReason} characters`, type: 'string_too_long' })
  if (problems.length > 0) throw new Invalid(problems)
  return { erase, reason, cascade, userId: request.principal.userId ?? userId }
}

/** Whether a DELETE asks to erase, and not only to delete. Throws Forbidden when the role may not do what is asked. */
export const isErasure = (request: FastifyRequest): boolean => {
  const q = readQuery(request.query)
  const erase = q.boolean('erase', false)
  if (q.problems().length === 0) mustBeAllowed(request, erase ? 'erase' : 'write')
  return wishIn(request, true).erase
}

type Subject = { kind: 'task' | 'session' | 'user'; id: string }

/** Erases, and answers with what was erased. */
export const answerErasure = (
  { erasures }: Pick<ErasureDoor, 'erasures'>,
  serving: Serving,
  request: FastifyRequest,
  reply: FastifyReply,
  { kind, id }: Subject,
): Promise<unknown> => {
  const { userId, reason, cascade } = wishIn(request, false)
  const wish = { reason, cascade }
  const asked = askedOf(request)
  const erased = {
    task: () => erasures.task(asked, id, wish),
    session: () => erasures.session(asked, id, { ...wish, userId }),
    user: () => erasures.user(asked, id, wish),
  }[kind]()
  const ready = erased.then(answer => JSON.stringify(answer))
  return answerWhenReady(reply, ready, serving.stopping, faultOf(serving, request))
}

export const erasureRoutes = (app: App, door: ErasureDoor, serving: Serving): void => {
  const { holds } = door.erasures

  route(app, 'eraseUser', {
    async handler(request, reply) {
      const { principal, params } = request
      if (principal.userId !== undefined && principal.userId !== params.user_id)
        throw new Refusal('TaskNotFound', undefined, 'the server has nothing of this user that can be erased')
      return answerErasure(door, serving, request, reply, { kind: 'user', id: params.user_id })
    },
  })
  route(app, 'listHolds', {
    async handler({ principal, query }) {
      mustActForAll(principal)
      const q = readQuery(query)
      const asked = holdList.asked(q)
      q.done()
      return holdList.answer(rowsAfter(holds.list(), asked, idOfHold), asked, idOfHold, hold => hold)
    },
  })
  route(app, 'placeHold', {
    async handler(request) {
      mustActForAll(request.principal)
      return holds.place(askedOf(request), request.body)
    },
  })
  route(app, 'liftHold', {
    async handler(request) {
      mustActForAll(request.principal)
      return holds.lift(askedOf(request), request.body)
    },
  })
}
