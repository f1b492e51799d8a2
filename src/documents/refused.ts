// The error answers of an operation, by status, from the refusals of the contract.
import type { TSchema } from 'typebox'
import { rolesOf } from '../access/roles.ts'
import { A2AError, RpcAnswer } from '../contract/a2a/objects.ts'
import { roles } from '../contract/events/token-events.ts'
import { McpRefusal } from '../contract/mcp/messages.ts'
import { OpenAIError } from '../contract/openai/shared.ts'
import { quotaNames, type RefusalName, refusals } from '../contract/refusals.ts'
import { DetailedError, detailedRefusals, ErrorEnvelope, ValidationError } from '../contract/responses.ts'
import { ErrorObject } from '../contract/wire.ts'
import { headersOfRefusal, headersWith } from './headers.ts'
import { type ErrorFormName, json, type Operation } from './operation.ts'
import type { Json, schemaWriter } from './schemas.ts'

/** Refusals that any operation of its kind may have. */
const commonRefusals = ({ access, method }: Operation): RefusalName[] => {
  const isOpen = access === 'open'
  if (isOpen && method === 'GET') return []
  const narrow = !isOpen && rolesOf[access].length < roles.length
  return [
    ...(isOpen ? [] : (['Unauthenticated'] as const)),
    ...(narrow ? (['Forbidden'] as const) : []),
    ...(method === 'GET'
      ? (['Busy'] as const)
      : (['BodyTooSlow', 'BodyTooLarge', 'MediaType', 'Busy', 'StorageDown'] as const)),
    'Fault',
    'ReadModelsBehind',
    'ChangedMeanwhile',
    'Damaged',
    'ShuttingDown',
  ]
}

/** What `data` of every refusal has. Each reason may have more. */
const adviceFields: Json = {
  hint: { type: 'string', description: 'What to do, in a sentence.' },
  docs: {
    type: 'string',
    description: 'Where the reason is explained: an address, or a path of this server.',
  },
}
const advice: Json = {
  type: 'object',
  required: ['hint', 'docs'],
  properties: adviceFields,
  additionalProperties: true,
}

/** The schema of `data` in the refusal for a quota that is used up. */
const quotaData: Json = {
  ...advice,
  properties: {
    ...adviceFields,
    quota: { type: 'string', description: `The name of the quota, for example ${quotaNames.join(', ')}.` },
    limit: { type: 'integer', description: 'How much the quota allows.' },
  },
}

const isDetailed = (reason: RefusalName): boolean => detailedRefusals.has(reason)

/** A response. `name`: its name in `components.responses` if several operations have the same response. */
export type Refused = { status: number; name?: string; response: Json }

/** The name of the response with this status. Operations without an own refusal of this status share the response. */
const nameOfStatus = (status: number, method: Operation['method']): string | undefined => {
  const names: Record<number, string> = {
    401: 'Unauthenticated',
    403: 'Forbidden',
    408: 'BodyTooSlow',
    413: 'BodyTooLarge',
    415: 'MediaType',
    429: 'Busy',
    500: 'Fault',
    503: method === 'GET' ? 'CannotRead' : 'CannotWrite',
  }
  return names[status]
}

const nameOf = (
  status: number,
  reasons: RefusalName[],
  { method, envelope, refusals: own = [] }: Operation,
): string => {
  const isOwn = own.some(reason => refusals[reason].http === status && reason !== 'Forbidden')
  const name = (isOwn ? undefined : nameOfStatus(status, method)) ?? reasons.join('Or')
  return `${name}${envelope ? 'InEnvelope' : ''}`
}

/** The headers of a refusal that is about a task. */
const ofTask = ['X-Task-Id', 'X-Session-Id', 'Idempotency-Replayed']

/** The form of an error in each other protocol. */
const forms: Record<ErrorFormName, { type: string; schema: TSchema }> = {
  openai: { type: json, schema: OpenAIError },
  'a2a-http': { type: json, schema: A2AError },
  'a2a-rpc': { type: json, schema: RpcAnswer },
  mcp: { type: json, schema: McpRefusal },
}

/** The error answers of an operation of another protocol, by status. An invalid request is 400 there. */
const formedRefused = (
  operation: Operation,
  form: ErrorFormName,
  schemas: ReturnType<typeof schemaWriter>,
): Refused[] => {
  const { type, schema } = forms[form]
  const reasons = [...new Set([...commonRefusals(operation), ...(operation.refusals ?? [])])]
  const statuses = new Set([400, ...reasons.map(reason => refusals[reason].http)])
  return [...statuses].map((status): Refused => {
    const said = reasons
      .filter(reason => refusals[reason].http === status)
      .map(reason => refusals[reason].message)
    const all = [...new Set([...(status === 400 ? ['the request is not valid'] : []), ...said])]
    const response = {
      description: all.length === 1 ? all[0] : all.map(line => `- ${line}`).join('\n'),
      headers: status === refusals.TaskFailed.http ? headersWith(ofTask) : headersOfRefusal(status),
      content: { [type]: { schema: schemas.of(schema) } },
    }
    return { status, response }
  })
}

/** The error answers of an operation, by status. */
export const refusedAnswers = (operation: Operation, schemas: ReturnType<typeof schemaWriter>): Refused[] => {
  if (operation.errors !== undefined) return formedRefused(operation, operation.errors, schemas)
  const reasons = [...new Set([...commonRefusals(operation), ...(operation.refusals ?? [])])]
  const statuses = [...new Set(reasons.map(reason => refusals[reason].http))]
  const refused = statuses.map((status): Refused => {
    const names = reasons.filter(reason => refusals[reason].http === status)
    const same = names.map(reason => refusals[reason])
    const ofCode = {
      properties: {
        code: { enum: [...new Set(same.map(({ code }) => code))] },
        data: names.includes('OverQuota') ? quotaData : advice,
      },
      required: ['data'],
    }
    const schema = operation.envelope
      ? { allOf: [schemas.of(ErrorEnvelope), { properties: { error: ofCode } }] }
      : { allOf: [schemas.of(names.every(isDetailed) ? DetailedError : ErrorObject), ofCode] }
    const said = same.map(({ code, message }) => `\`${code}\` ${message}`)
    const response = {
      description: said.length === 1 ? said[0] : said.map(line => `- ${line}`).join('\n'),
      headers: headersOfRefusal(status),
      content: { 'application/json': { schema } },
    }
    return { status, response, name: nameOf(status, names, operation) }
  })
  const invalid = {
    description: 'The request is not valid.',
    headers: headersWith(),
    content: { 'application/json': { schema: schemas.of(ValidationError) } },
  }
  return [...refused, { status: 422, name: 'Invalid', response: invalid }]
}
