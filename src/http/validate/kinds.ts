// The kinds of JSON values, and the kinds that a schema accepts.
import { isExact } from '../../contract/exact-number.ts'
import type { Problem } from '../../contract/refusals.ts'
import type { WireSchema } from '../../contract/wire-schema.ts'
import { notOneOf } from '../problems.ts'

export type Kind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null' | 'other'

export function kindOf(value: unknown): Kind {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (isExact(value)) return 'number'
  const type = typeof value
  return type === 'object' || type === 'string' || type === 'number' || type === 'boolean' ? type : 'other'
}

export function takesKind(schema: WireSchema, kind: Kind): boolean {
  if (schema.enum) return schema.enum.some(value => kindOf(value) === kind)
  if (schema.type === undefined) return true
  return (schema.type === 'integer' ? 'number' : schema.type) === kind
}

export const takesAnything = (schema: WireSchema): boolean =>
  schema.anyOf ? schema.anyOf.some(takesAnything) : schema.type === undefined && schema.enum === undefined

export const isObject = (value: unknown): value is Record<string, unknown> => kindOf(value) === 'object'

const kindNames = {
  object: { type: 'dict_type', noun: 'dictionary' },
  array: { type: 'list_type', noun: 'list' },
  string: { type: 'string_type', noun: 'string' },
  integer: { type: 'int_type', noun: 'integer' },
  number: { type: 'float_type', noun: 'number' },
  boolean: { type: 'bool_type', noun: 'boolean' },
}

// One problem for all branches. Its `type` is that of the first branch, and its message lists all accepted kinds.
export function wrongKind(branches: readonly WireSchema[], loc: Problem['loc']): Problem {
  const wanted = branches.flatMap(({ type }) => (type && type !== 'null' ? [kindNames[type]] : []))
  const [first] = wanted
  if (!first) {
    const allowed = branches.flatMap(branch => branch.enum ?? [])
    if (allowed.length > 0) return notOneOf('enum', allowed, loc)
    return { loc, type: 'none_required', msg: 'Input should be None' }
  }
  const nouns = [...new Set(wanted.map(({ noun }) => noun))]
  return { loc, type: first.type, msg: `Input should be a valid ${nouns.join(' or ')}` }
}
