// The operations that erase, and the legal holds that forbid it.
import Type, { type TSchema } from 'typebox'
import { Erasure, Hold, HoldList } from '../../contract/audit-responses.ts'
import { HoldBody } from '../../contract/wire.ts'
import { type Answer, defineOperations, json, type Parameter } from '../operation.ts'
import { pages, query, text } from '../parameters.ts'

const reason = query(
  'reason',
  Type.String({ minLength: 1, maxLength: 2000 }),
  'Why the content is erased. An erasure needs a reason, and the log keeps it.',
)
const cascade = query(
  'cascade',
  Type.Boolean({ default: false }),
  'Also erases what contains the same content: callers, subagents, forks, later tasks whose context quotes it, and environment sessions. Without `cascade`, the server refuses the request if there are such objects, and names them.',
)

/** The parameters with which a DELETE erases. */
export const erasing: readonly Parameter[] = [
  query(
    'erase',
    Type.Boolean({ default: false }),
    'Destroys the content, too. This needs the role `admin` or `eraser`, and answers with the erasure.',
  ),
  reason,
  cascade,
]
/** The answer of a DELETE that may also erase. */
export const orErasure = (answer: Answer, schema: TSchema): Answer => ({
  ...answer,
  about: `${answer.about} With \`erase\`: what was erased, without an envelope.`,
  schema: Type.Union([schema, Erasure]),
})

const hold = {
  protect: { summary: 'A user', value: { user_id: 'anna', reason: 'case 4711' } },
  task: { summary: 'A task', value: { task_id: 'task_1', reason: 'case 4712' } },
}
const holdBody = { schema: HoldBody, examples: hold }

export const erasureOperations = defineOperations({
  eraseUser: {
    method: 'DELETE',
    path: '/v1/users/{user_id}/data',
    tag: 'Erasure',
    access: 'erase',
    summary: 'Erase the data of a user',
    about:
      'Destroys the content of all tasks, environment sessions and deleted cron jobs of a user. If one of them has not ended, the server refuses the request (409). The headers of the events stay: ids, times and types.',
    parameters: [{ in: 'path', name: 'user_id', schema: text, about: 'The user.' }, reason],
    answers: [{ status: 200, about: 'What was erased.', type: json, schema: Erasure }],
    refusals: ['TaskNotFound', 'NotErasable', 'ErasureUnfinished'],
  },
  listHolds: {
    method: 'GET',
    path: '/v1/audit/holds',
    tag: 'Erasure',
    access: 'audit',
    summary: 'List legal holds',
    about: 'The holds that forbid to erase something. A token that belongs to one user cannot list them.',
    parameters: pages(1000, 100, 'holds'),
    answers: [{ status: 200, about: 'The holds.', type: json, schema: HoldList }],
  },
  placeHold: {
    method: 'POST',
    path: '/v1/audit/holds',
    tag: 'Erasure',
    access: 'manage',
    summary: 'Place a legal hold',
    about:
      'From now on the server refuses to erase the task, the session or everything of the user, until somebody lifts the hold. The body names exactly one of them.',
    body: holdBody,
    answers: [{ status: 200, about: 'The hold.', type: json, schema: Hold }],
  },
  liftHold: {
    method: 'DELETE',
    path: '/v1/audit/holds',
    tag: 'Erasure',
    access: 'manage',
    summary: 'Lift a legal hold',
    about: 'The body names what the hold protects. An event in the log says who lifted it, and why.',
    body: holdBody,
    answers: [{ status: 200, about: 'The hold that was lifted.', type: json, schema: Hold }],
    refusals: ['HoldNotFound'],
  },
})
