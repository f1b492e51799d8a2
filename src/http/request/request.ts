// The fields that the server adds to every request, and helpers that every route uses.
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
import type { Shows } from '../../access/reads.ts'
import type { Access } from '../../access/roles.ts'
import type { Principal } from '../../contract/events/token-events.ts'
import { ErasedEvent } from '../../contract/stored.ts'
import type { ErrorFormName } from '../../documents/operation.ts'
import { type OperationId, operationsById } from '../../documents/operations.ts'
import type { CallersAnswers } from '../answer/long-answers.ts'
import type { Serving } from '../doors.ts'

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
    /** The digest of the body of a create, if the body was large. The thread that read the body computed it. */
    bodyDigest: string | undefined
  }
  interface FastifyContextConfig {
    /** The operation of the route. */
    operation?: OperationId
    access?: Access
    /** True: the answer is always a stream, even without `Accept: text/event-stream`. */
    stream?: boolean
    /** True: errors of this operation are sent in an envelope. */
    envelope?: boolean
    /** The form of errors, if it is that of another protocol. */
    errors?: ErrorFormName
  }
}

/** The principal and the id of a request, for a command. */
export const askedOf = ({ principal, envelopeId }: FastifyRequest) => ({ principal, requestId: envelopeId })

/** Makes the function that reports an error which the caller of the request did not cause. */
export const faultOf =
  ({ fault }: Pick<Serving, 'fault'>, request: FastifyRequest) =>
  (error: unknown): void => {
    // The task was erased while its answer was made. The answer is cut off, which is no defect.
    if (error instanceof ErasedEvent) return
    fault(error, { request_id: request.envelopeId, route: request.routeOptions.url })
  }

/** The path of an operation as the documents write it. */
const pathOf = (operation: OperationId | undefined): string =>
  operation === undefined ? '' : operationsById[operation].path

/** Records that a request reads. The returned function notes a task that the answer shows. */
export const readBy = (
  { reads }: Pick<Serving, 'reads'>,
  { principal, method, routeOptions }: FastifyRequest,
): Shows => reads.begin(principal, `${method} ${pathOf(routeOptions.config.operation)}`)

/** Makes the long answers for the caller of a request. */
export const answersOf = (
  { longAnswers }: Pick<Serving, 'longAnswers'>,
  { principal }: FastifyRequest,
  { raw }: FastifyReply,
): CallersAnswers => longAnswers.ofCaller(principal, () => raw.destroyed)
