// What every request carries, and what is asked of it in every route.
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
    /** The digest of a create, where a large body was read and the digest made with it. */
    bodyDigest: string | undefined
  }
  interface FastifyContextConfig {
    /** Whose route it is. */
    operation?: OperationId
    access?: Access
    /** It is a stream, whatever the caller accepts. */
    stream?: boolean
    /** Its body is a create, which has a digest. */
    isCreate?: boolean
    /** Errors of this operation are answered in an envelope. */
    envelope?: boolean
  }
}

/** Who asks, and under which id. */
export const askedOf = ({ principal, envelopeId }: FastifyRequest) => ({ principal, requestId: envelopeId })

/** Reports what a request ran into that is not the caller's doing. */
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
