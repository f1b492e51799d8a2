// Makes routes from the table of operations. For each operation the table has the method, the path, the required
// access, the schema of the body, the form of errors, and the description. The files of routes add the handlers.
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  ContextConfigDefault,
  FastifySchema,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteOptions,
} from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Operation } from '../documents/operation.ts'
import { type OperationId, type OperationsById, operations, operationsById } from '../documents/operations.ts'
import type { App } from './request/request.ts'

type NamesIn<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never
type BodyOf<Given> = Given extends { body: { schema: infer Schema extends TSchema } }
  ? Static<Schema>
  : unknown

/** The path parameters and the body of an operation's request. */
export type Asked<Id extends OperationId> = {
  Params: Record<NamesIn<OperationsById[Id]['path']>, string>
  Body: BodyOf<OperationsById[Id]>
}

type Options<Id extends OperationId> = Pick<
  RouteOptions<
    RawServerDefault,
    RawRequestDefaultExpression,
    RawReplyDefaultExpression,
    Asked<Id>,
    ContextConfigDefault,
    FastifySchema,
    TypeBoxTypeProvider
  >,
  'handler' | 'bodyLimit' | 'attachValidation' | 'preValidation' | 'config'
>

/** A path in the form of Fastify, which marks parameters with a colon. A colon of the path itself stands twice there. */
const urlOf = (path: string): string => path.replaceAll(':', '::').replace(/\{(\w+)\}/g, ':$1')

export const route = <Id extends OperationId>(app: App, id: Id, options: Options<Id>): void => {
  const { method, path, access, envelope, errors, body }: Omit<Operation, 'id'> = operationsById[id]
  app.route<Asked<Id>>({
    ...options,
    method,
    url: urlOf(path),
    config: {
      ...options.config,
      operation: id,
      access,
      ...(envelope && { envelope }),
      ...(errors && { errors }),
    },
    ...(body && { schema: { body: body.schema } }),
  })
}

/** Whether a path is that of a file of the page at /docs or of the console. These files are not operations. */
const isPartOfPage = (url: string): boolean => url.startsWith('/docs/') || url.startsWith('/ui/')

/**
 * Throws when a route is added that is not in the table of operations. The returned function throws if an operation has
 * no route.
 */
export const holdToOperations = (app: Pick<App, 'addHook'>): (() => void) => {
  const missing = new Set(operations.map(({ id }) => id))
  app.addHook('onRoute', ({ url, config }) => {
    if (config?.operation !== undefined) missing.delete(config.operation)
    else if (!isPartOfPage(url))
      throw new Error(
        `the route ${url} is not in the table of operations: add it to src/documents/operations`,
      )
  })
  return () => {
    if (missing.size > 0) throw new Error(`operations without a route: ${[...missing].join(', ')}`)
  }
}
