// What every request carries, and helpers that every route uses.
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import type { Access } from '../access/roles.ts'
import type { Principal } from '../contract/token-events.ts'
import type { OperationId } from '../documents/operations.ts'
import type { Serving } from './doors.ts'
import type { CallersAnswers } from './long-answers.ts'

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal
    envelopeId: string
    /** The digest of a create, if its body was large: it was computed when the body was read. */
    bodyDigest: string | undefined
  }
  interface FastifyContextConfig {
    /** The operation of the route. */
    operation?: OperationId
    access?: Access
    /** True: the answer is a stream, whatever the caller accepts. */
    stream?: boolean
    /** True: the body is a create, which has a digest. */
    isCreate?: boolean
    /** True: errors of this operation are sent in an envelope. */
    envelope?: boolean
  }
}

/** The principal and the id of a request. */
export const askedOf = ({ principal, envelopeId }: FastifyRequest) => ({ principal, requestId: envelopeId })

/** Reports an error of a request that the caller did not cause. */
export const faultOf =
  ({ fault }: Pick<Serving, 'fault'>, request: FastifyRequest) =>
  (error: unknown): void =>
    fault(error, { request_id: request.envelopeId, route: request.routeOptions.url })

/** The long answers of the caller of a request. */
export const answersOf = (
  { longAnswers }: Pick<Serving, 'longAnswers'>,
  { principal }: FastifyRequest,
  { raw }: FastifyReply,
): CallersAnswers => longAnswers.ofCaller(principal, () => raw.destroyed)
