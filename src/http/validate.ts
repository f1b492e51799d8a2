// Says what is wrong with a request, all of it at once and in pydantic's words. The compiled check answers for
// the many requests that are right; only a wrong one is read a second time, slowly, to explain it.
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Invalid, type Problem } from '../contract/refusals.ts'
import { withoutNulls } from '../contract/schema-walk.ts'
import { mostProblems, notOneOf, push, rangeProblem } from './problems.ts'

type Loc = Problem['loc']

/** The part of JSON Schema that wire.ts uses, as TypeBox emits it. */
type Schema = {
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'null'
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly Schema[]
  properties?: Record<string, Schema>
  required?: readonly string[]
  patternProperties?: Record<string, Schema>
  items?: Schema
  maxItems?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  minimum?: number
  maximum?: number
}

/**
 * A function that gives back the value, typed, or throws Invalid with everything that is wrong with it. A null in the
 * place of an optional field, at any depth, is left out.
 */
export function bodyValidator<T extends TSchema>(schema: T): (value: unknown) => Static<T> {
  assertExplainable(schema as Schema)
  const compiled = Compile(schema)
  return value => {
    if (compiled.Check(value)) return value as Static<T>
    const lean = withoutNulls(schema, value)
    if (lean !== value && compiled.Check(lean)) return lean as Static<T>
    const problems = explain(schema, lean, ['body'])
    // The two readers agree (a property test holds them to it); if ever they did not, it is still a 422.
    throw new Invalid(problems.length > 0 ? problems : [unexplained])
  }
}

const unexplained: Problem = { loc: ['body'], type: 'value_error', msg: 'Value error, the body is not valid' }

/** Everything in `value` that does not fit `schema`; empty if and only if the compiled check says yes. */
export function explain(schema: TSchema, value: unknown, loc: Loc): Problem[] {
  const found: Problem[] = []
  collect(schema as Schema, value, loc, found)
  return found
}

function collect(schema: Schema, value: unknown, loc: Loc, found: Problem[]): void {
  if (found.length >= mostProblems || takesAnything(schema)) return
  if (value === undefined) found.push(missing(loc))
  else if (schema.anyOf) collectUnion(schema.anyOf, value, loc, found)
  else if (schema.enum) {
    if (!schema.enum.includes(value)) found.push(notOneOf('enum', schema.enum, loc))
  } else if ('const' in schema) {
    if (value !== schema.const) found.push(notOneOf('literal_error', [schema.const], loc))
  } else if (!takesKind(schema, kindOf(value))) found.push(wrongKind([schema], loc))
  else if (isObject(value)) collectObject(schema, value, loc, found)
  else if (Array.isArray(value)) collectArray(schema, value, loc, found)
  else if (typeof value === 'string') push(found, stringProblem(schema, value, loc))
  else if (typeof value === 'number') push(found, numberProblem(schema, value, loc))
}

// Only own properties count, so that no name which every object inherits can stand in for a field.
function collectObject(schema: Schema, value: Record<string, unknown>, loc: Loc, found: Problem[]): void {
  const required = schema.required ?? []
  for (const name of required) if (!Object.hasOwn(value, name)) push(found, missing([...loc, name]))
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (!Object.hasOwn(value, name)) continue
    if (value[name] === undefined && !required.includes(name)) continue
    collect(property, value[name], [...loc, name], found)
  }
  for (const [pattern, property] of Object.entries(schema.patternProperties ?? {})) {
    if (takesAnything(property)) continue
    for (const [name, child] of Object.entries(value)) {
      if (regExp(pattern).test(name)) collect(property, child, [...loc, name], found)
    }
  }
}

function collectArray(schema: Schema, value: unknown[], loc: Loc, found: Problem[]): void {
  if (schema.maxItems !== undefined && value.length > schema.maxItems) {
    const msg = `List should have at most ${items(schema.maxItems)} after validation, not ${value.length}`
    push(found, { loc, type: 'too_long', msg })
  }
  if (schema.items === undefined || takesAnything(schema.items)) return
  for (const [index, item] of value.entries()) {
    if (found.length >= mostProblems) return
    collect(schema.items, item, [...loc, index], found)
  }
}

// A union is explained by the one branch the value was meant for: by its kind, and among objects by its `type`.
function collectUnion(anyOf: readonly Schema[], value: unknown, loc: Loc, found: Problem[]): void {
  const branches = flatten(anyOf)
  const kind = kindOf(value)
  const ofKind = branches.filter(branch => takesKind(branch, kind))
  if (ofKind.length === 0) {
    const notNull = branches.filter(branch => branch.type !== 'null')
    const [only, ...others] = notNull
    if (only && others.length === 0) collect(only, value, loc, found)
    else found.push(wrongKind(notNull, loc))
  } else if (isObject(value) && ofKind.length > 1 && ofKind.some(isTagged)) {
    const tag = Object.hasOwn(value, 'type') ? value.type : undefined
    const meant = ofKind.filter(branch => tagsOf(branch).includes(tag))
    const others = ofKind.filter(branch => !isTagged(branch))
    if (tag === undefined) found.push(missing([...loc, 'type']))
    else if (meant.length === 0 && others.length > 0) collectFirst(others, value, loc, found)
    else if (meant.length === 0) found.push(notOneOf('enum', ofKind.flatMap(tagsOf), [...loc, 'type']))
    else collectFirst(meant, value, loc, found)
  } else collectFirst(ofKind, value, loc, found)
}

// Branches that nothing tells apart: the value fits if it fits any; if it fits none, the first one's problems stand, or that
// one of several fields is missing.
function collectFirst(branches: Schema[], value: unknown, loc: Loc, found: Problem[]): void {
  const all: Problem[][] = []
  for (const branch of branches) {
    const own: Problem[] = []
    collect(branch, value, loc, own)
    if (own.length === 0) return
    all.push(own)
  }
  const absent = all.flatMap(([one, ...more]) =>
    one?.type === 'missing' && more.length === 0 && one.loc.length === loc.length + 1 ? [one.loc.at(-1)] : [],
  )
  if (absent.length === all.length && absent.length > 1) {
    push(found, { ...missing(loc), msg: `Field required: ${[...new Set(absent)].join(' or ')}` })
  } else for (const problem of all[0] ?? []) push(found, problem)
}

const flatten = (anyOf: readonly Schema[]): Schema[] =>
  anyOf.flatMap(branch => (branch.anyOf ? flatten(branch.anyOf) : [branch]))

const tagsOf = (branch: Schema): readonly unknown[] => {
  const type = branch.properties?.type
  return type?.enum ?? (type && 'const' in type ? [type.const] : [])
}
const isTagged = (branch: Schema): boolean =>
  branch.required?.includes('type') === true && tagsOf(branch).length > 0

// TypeBox counts the length of a string in code points, and so do we; never more of them than the limit needs.
function stringProblem(
  { minLength, maxLength, pattern }: Schema,
  value: string,
  loc: Loc,
): Problem | undefined {
  if (minLength !== undefined && !hasCodePoints(value, minLength)) {
    return { loc, type: 'string_too_short', msg: `String should have at least ${characters(minLength)}` }
  }
  if (maxLength !== undefined && hasCodePoints(value, maxLength + 1)) {
    return { loc, type: 'string_too_long', msg: `String should have at most ${characters(maxLength)}` }
  }
  if (pattern !== undefined && !regExp(pattern).test(value)) {
    return { loc, type: 'string_pattern_mismatch', msg: `String should match pattern '${pattern}'` }
  }
  return undefined
}

function hasCodePoints(text: string, wanted: number): boolean {
  if (text.length < wanted || text.length >= 2 * wanted) return text.length >= wanted
  let count = 0
  for (const _ of text) count++
  return count >= wanted
}

// JSON.parse reads 1e999 as Infinity, which is no number of ours.
function numberProblem({ type, minimum, maximum }: Schema, value: number, loc: Loc): Problem | undefined {
  if (!Number.isFinite(value)) return { loc, type: 'finite_number', msg: 'Input should be a finite number' }
  if (type === 'integer' && !Number.isInteger(value)) {
    const msg = 'Input should be a valid integer, got a number with a fractional part'
    return { loc, type: 'int_from_float', msg }
  }
  return rangeProblem(value, minimum, maximum, loc)
}

const kindNames = {
  object: { type: 'dict_type', noun: 'dictionary' },
  array: { type: 'list_type', noun: 'list' },
  string: { type: 'string_type', noun: 'string' },
  integer: { type: 'int_type', noun: 'integer' },
  number: { type: 'float_type', noun: 'number' },
  boolean: { type: 'bool_type', noun: 'boolean' },
}

// One problem, however many branches: the first one's word, and every kind that would have been taken.
function wrongKind(branches: readonly Schema[], loc: Loc): Problem {
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

const missing = (loc: Loc): Problem => ({ loc, type: 'missing', msg: 'Field required' })
const characters = (count: number): string => `${count} ${count === 1 ? 'character' : 'characters'}`
const items = (count: number): string => `${count} ${count === 1 ? 'item' : 'items'}`

type Kind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null' | 'other'

function kindOf(value: unknown): Kind {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  const type = typeof value
  return type === 'object' || type === 'string' || type === 'number' || type === 'boolean' ? type : 'other'
}

function takesKind(schema: Schema, kind: Kind): boolean {
  if (schema.enum) return schema.enum.some(value => kindOf(value) === kind)
  if (schema.type === undefined) return true
  return (schema.type === 'integer' ? 'number' : schema.type) === kind
}

const takesAnything = (schema: Schema): boolean =>
  schema.anyOf ? schema.anyOf.some(takesAnything) : schema.type === undefined && schema.enum === undefined

const isObject = (value: unknown): value is Record<string, unknown> => kindOf(value) === 'object'

const regExps = new Map<string, RegExp>()

// With the flag that TypeBox compiles patterns with. The patterns are our schemas', so there are only a few.
function regExp(pattern: string): RegExp {
  const known = regExps.get(pattern)
  if (known) return known
  const made = new RegExp(pattern, 'u')
  regExps.set(pattern, made)
  return made
}

const explainable: Record<string, readonly string[]> = {
  anyOf: ['anyOf'],
  enum: ['enum'],
  object: ['type', 'properties', 'required', 'patternProperties'],
  array: ['type', 'items', 'maxItems'],
  string: ['type', 'const', 'minLength', 'maxLength', 'pattern'],
  integer: ['type', 'const', 'minimum', 'maximum'],
  number: ['type', 'const', 'minimum', 'maximum'],
  boolean: ['type', 'const'],
  null: ['type'],
  anything: [],
}
const notes: readonly string[] = ['$id', 'title', 'description', 'default', 'examples']

// A keyword that only one of the two readers knows, or a field that every object inherits (TypeBox looks most
// names up with `in`), would make them disagree on a caller's body. Better to not start.
function assertExplainable(schema: Schema): void {
  const form = schema.anyOf ? 'anyOf' : schema.enum ? 'enum' : (schema.type ?? 'anything')
  for (const keyword of Object.keys(schema)) {
    if (explainable[form]?.includes(keyword) || notes.includes(keyword)) continue
    throw new Error(`validate.ts cannot explain the keyword "${keyword}" of a schema of the form "${form}"`)
  }
  for (const name of Object.keys(schema.properties ?? {})) {
    if (name in Object.prototype) throw new Error(`a schema cannot have a property named "${name}"`)
  }
  const children = [
    ...(schema.anyOf ?? []),
    ...Object.values(schema.properties ?? {}),
    ...Object.values(schema.patternProperties ?? {}),
    ...(schema.items ? [schema.items] : []),
  ]
  for (const child of children) assertExplainable(child)
}
