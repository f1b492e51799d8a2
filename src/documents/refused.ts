// The error answers of an operation, by status, from the refusals of the contract.
import { rolesOf } from '../access/roles.ts'
import { quotaNames, type RefusalName, refusals } from '../contract/refusals.ts'
import { DetailedError, detailedRefusals, ErrorEnvelope, ValidationError } from '../contract/responses.ts'
import { ErrorObject } from '../contract/wire.ts'
import type { Operation } from './operation.ts'
import type { Json, schemaWriter } from './schemas.ts'

/** Refusals that any operation of its kind may have. */
const usual = ({ access, method }: Operation): RefusalName[] => {
  if (access === 'open') return []
  const narrow = rolesOf[access].length < rolesOf.follow.length
  return [
    'Unauthenticated',
    ...(narrow ? (['Forbidden'] as const) : []),
    ...(method === 'GET'
      ? (['Busy'] as const)
      : (['BodyTooSlow', 'BodyTooLarge', 'MediaType', 'Busy', 'StorageDown'] as const)),
    'Fault',
    'ReadModelsBehind',
    'Damaged',
    'ShuttingDown',
  ]
}

const headersOf: Record<number, Json> = {
  401: { 'WWW-Authenticate': { schema: { type: 'string', const: 'Bearer' } } },
  409: {
    'X-Should-Retry': {
      description: '`false`: the server would refuse the same request again.',
      schema: { type: 'string', const: 'false' },
    },
  },
  429: retryAfter(),
  503: retryAfter(),
}
function retryAfter(): Json {
  return {
    'Retry-After': { description: 'Seconds to wait before the next attempt.', schema: { type: 'integer' } },
  }
}

/** The fields that the refusal has if a quota is used up. */
const quotaData: Json = {
  properties: {
    quota: { type: 'string', description: `The name of the quota, for example ${quotaNames.join(', ')}.` },
    limit: { type: 'integer', description: 'How much the quota allows.' },
  },
}

const isDetailed = (reason: RefusalName): boolean => detailedRefusals.has(reason)

/** A response. It has a name if several operations share the response. */
export type Refused = { status: number; name?: string; response: Json }

const nameOf = (status: number, { method, envelope, refusals: own = [] }: Operation): string | undefined => {
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
  const name = names[status]
  const isOwn = own.some(reason => refusals[reason].http === status && reason !== 'Forbidden')
  return name === undefined || isOwn ? undefined : `${name}${envelope ? 'InEnvelope' : ''}`
}

/** The error answers of an operation, by status. */
export const refusedAnswers = (
  operation: Operation,
  schemas: ReturnType<typeof schemaWriter>,
  common: Json,
): Refused[] => {
  const reasons = [...new Set([...usual(operation), ...(operation.refusals ?? [])])]
  const statuses = [...new Set(reasons.map(reason => refusals[reason].http))]
  const refused = statuses.map((status): Refused => {
    const names = reasons.filter(reason => refusals[reason].http === status)
    const same = names.map(reason => refusals[reason])
    const ofCode = {
      properties: {
        code: { enum: [...new Set(same.map(({ code }) => code))] },
        ...(names.includes('OverQuota') ? { data: quotaData } : {}),
      },
    }
    const schema = operation.envelope
      ? { allOf: [schemas.of(ErrorEnvelope), { properties: { error: ofCode } }] }
      : { allOf: [schemas.of(names.every(isDetailed) ? DetailedError : ErrorObject), ofCode] }
    const said = same.map(({ code, message }) => `\`${code}\` ${message}`)
    const response = {
      description: said.length === 1 ? said[0] : said.map(line => `- ${line}`).join('\n'),
      headers: { ...common, ...headersOf[status] },
      content: { 'application/json': { schema } },
    }
    const name = nameOf(status, operation)
    return { status, response, ...(name && { name }) }
  })
  const invalid = {
    description: 'The request is not valid.',
    headers: common,
    content: { 'application/json': { schema: schemas.of(ValidationError) } },
  }
  return [...refused, { status: 422, name: 'Invalid', response: invalid }]
}
