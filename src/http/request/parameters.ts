// Reads the query of an operation as its parameters are declared in the table of operations: their types, bounds and
// defaults stand only there.
import type { Static, TSchema } from 'typebox'
import type { WireSchema } from '../../contract/wire-schema.ts'
import type { Operation, Parameter } from '../../documents/operation.ts'
import { type OperationId, type OperationsById, operationsById } from '../../documents/operations.ts'
import { time } from '../../documents/parameters.ts'
import type { QueryReader } from './query.ts'

type Declared<Id extends OperationId> = OperationsById[Id] extends {
  parameters: infer P extends readonly unknown[]
}
  ? Extract<P[number], { in: 'query'; name: string; schema: TSchema }>
  : never
type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name
type Read<S extends TSchema> = S extends typeof time ? number : Static<S>
type Value<S extends TSchema> = S extends { default: unknown } ? Read<S> : Read<S> | undefined
/** The values by the names of their parameters, in camel case. Times are in milliseconds. */
export type Given<Id extends OperationId, Own extends string = never> = {
  [P in Declared<Id> as P['name'] extends Own ? never : Camel<P['name']>]: Value<P['schema']>
}

const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

const read = (q: QueryReader, { name, schema }: Parameter): unknown => {
  if (schema === time) return q.time(name)
  const { type, items, enum: values, minimum: min, maximum: max, default: fallback } = schema as Written
  if (type === 'array') return q.listOf(name, items?.enum as string[])
  if (values !== undefined) return q.oneOf(name, values as string[], fallback as string | undefined)
  if (type === 'boolean') return q.boolean(name, fallback as boolean | undefined)
  if (type !== 'integer') return q.text(name)
  const bounds = { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) }
  return q.integer(name, { ...bounds, fallback: fallback as number | undefined })
}
type Written = WireSchema & { default?: unknown }

const inQuery = (id: OperationId): Parameter[] => {
  const { parameters = [] }: Omit<Operation, 'id'> = operationsById[id]
  return parameters.filter(parameter => parameter.in === 'query')
}

/** The values of all parameters but `own`, which the caller reads. The reader notes the problems. */
export const parametersOf = <Id extends OperationId, Own extends string = never>(
  id: Id,
  q: QueryReader,
  ...own: Own[]
): Given<Id, Own> => {
  const wanted = inQuery(id).filter(({ name }) => !own.some(each => each === name))
  return Object.fromEntries(wanted.map(parameter => [camel(parameter.name), read(q, parameter)])) as Given<
    Id,
    Own
  >
}

/** The number of entries on a page. The operation must have a parameter `limit` with a default. */
export const limitOf = (id: OperationId, q: QueryReader): number => {
  const limit = inQuery(id).find(({ name }) => name === 'limit')
  if (limit === undefined)
    throw new Error(`the operation ${id} has no limit: give it the parameters \`pages\``)
  return read(q, limit) as number
}
