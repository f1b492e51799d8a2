// Checks an invalid value a second time, more slowly, and lists all of its problems in the words of pydantic.
import type { TSchema } from 'typebox'
import { isExact } from '../../contract/json/exact-number.ts'
import type { Problem } from '../../contract/refusals.ts'
import type { WireSchema } from '../../contract/wire-schema.ts'
import { maxProblems, notOneOf, push } from '../request/problems.ts'
import { regExp } from './patterns.ts'
import { numberProblem, stringProblem } from './scalars.ts'

// The kinds of JSON values, and the kinds that a schema accepts.

type Kind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null' | 'other'

function kindOf(value: unknown): Kind {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (isExact(value)) return 'number'
  const type = typeof value
  return type === 'object' || type === 'string' || type === 'number' || type === 'boolean' ? type : 'other'
}

function takesKind(schema: WireSchema, kind: Kind): boolean {
  if (schema.enum) return schema.enum.some(value => kindOf(value) === kind)
  if (schema.type === undefined) return true
  return (schema.type === 'integer' ? 'number' : schema.type) === kind
}

const takesAnything = (schema: WireSchema): boolean =>
  schema.anyOf ? schema.anyOf.some(takesAnything) : schema.type === undefined && schema.enum === undefined

const isObject = (value: unknown): value is Record<string, unknown> => kindOf(value) === 'object'

const kindNames = {
  object: { type: 'dict_type', noun: 'dictionary' },
  array: { type: 'list_type', noun: 'list' },
  string: { type: 'string_type', noun: 'string' },
  integer: { type: 'int_type', noun: 'integer' },
  number: { type: 'float_type', noun: 'number' },
  boolean: { type: 'bool_type', noun: 'boolean' },
}

// One problem for all branches. Its `type` is that of the first branch, and its message lists all accepted kinds.
function wrongKind(branches: readonly WireSchema[], loc: Problem['loc']): Problem {
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

// Finds the branches of a union, and the field by which its objects are distinguished: `type`, or the `role` of messages.

const flatten = (anyOf: readonly WireSchema[]): WireSchema[] =>
  anyOf.flatMap(branch => (branch.anyOf ? flatten(branch.anyOf) : [branch]))

type TagName = 'type' | 'role'
const tagsOf = (branch: WireSchema, name: TagName): readonly unknown[] => {
  const tag = branch.properties?.[name]
  return tag?.enum ?? (tag && 'const' in tag ? [tag.const] : [])
}
const isTagged = (branch: WireSchema, name: TagName): boolean =>
  branch.required?.includes(name) === true && tagsOf(branch, name).length > 0
const tagNameOf = (branches: readonly WireSchema[]): TagName | undefined => {
  if (branches.some(branch => isTagged(branch, 'type'))) return 'type'
  return branches.every(branch => isTagged(branch, 'role')) ? 'role' : undefined
}

type Loc = Problem['loc']

const missing = (loc: Loc): Problem => ({ loc, type: 'missing', msg: 'Field required' })
const items = (count: number): string => `${count} ${count === 1 ? 'item' : 'items'}`

/** All problems of `value` under `schema`. The list is empty if and only if the compiled check accepts the value. */
export function explain(schema: TSchema, value: unknown, loc: Loc): Problem[] {
  const found: Problem[] = []
  collect(schema as WireSchema, value, loc, found)
  return found
}

function collect(schema: WireSchema, value: unknown, loc: Loc, found: Problem[]): void {
  if (found.length >= maxProblems || takesAnything(schema)) return
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

// Only own properties count, because a name that every object inherits is not a field of the value.
function collectObject(schema: WireSchema, value: Record<string, unknown>, loc: Loc, found: Problem[]): void {
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

function collectArray(schema: WireSchema, value: unknown[], loc: Loc, found: Problem[]): void {
  if (schema.minItems !== undefined && value.length < schema.minItems) {
    const msg = `List should have at least ${items(schema.minItems)} after validation, not ${value.length}`
    push(found, { loc, type: 'too_short', msg })
  }
  if (schema.maxItems !== undefined && value.length > schema.maxItems) {
    const msg = `List should have at most ${items(schema.maxItems)} after validation, not ${value.length}`
    push(found, { loc, type: 'too_long', msg })
  }
  if (schema.items === undefined || takesAnything(schema.items)) return
  for (const [index, item] of value.entries()) {
    if (found.length >= maxProblems) return
    collect(schema.items, item, [...loc, index], found)
  }
}

// The problems of a value in a union are those under the branch for which the value was meant. The kind of the value
// determines this branch; among several branches for objects, the field that distinguishes them does.
function collectUnion(anyOf: readonly WireSchema[], value: unknown, loc: Loc, found: Problem[]): void {
  const branches = flatten(anyOf)
  const kind = kindOf(value)
  const ofKind = branches.filter(branch => takesKind(branch, kind))
  const name = isObject(value) && ofKind.length > 1 ? tagNameOf(ofKind) : undefined
  if (ofKind.length === 0) {
    const notNull = branches.filter(branch => branch.type !== 'null')
    const [only, ...others] = notNull
    if (only && others.length === 0) collect(only, value, loc, found)
    else found.push(wrongKind(notNull, loc))
  } else if (isObject(value) && name !== undefined) {
    const tag = Object.hasOwn(value, name) ? value[name] : undefined
    const meant = ofKind.filter(branch => tagsOf(branch, name).includes(tag))
    const others = ofKind.filter(branch => !isTagged(branch, name))
    if (tag === undefined) found.push(missing([...loc, name]))
    else if (meant.length === 0 && others.length > 0) collectFirst(others, value, loc, found)
    else if (meant.length === 0) {
      const tags = ofKind.flatMap(branch => tagsOf(branch, name))
      found.push(notOneOf('enum', tags, [...loc, name]))
    } else collectFirst(meant, value, loc, found)
  } else collectFirst(ofKind, value, loc, found)
}

// For branches that neither the kind nor such a field distinguishes. A value that fits one branch is valid. Otherwise the
// problems are those under the first branch. If each branch lacks only one field, one problem names all these fields.
function collectFirst(branches: WireSchema[], value: unknown, loc: Loc, found: Problem[]): void {
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
