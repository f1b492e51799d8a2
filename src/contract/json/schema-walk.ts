// Walks through a value together with its schema: to remove nulls that mean "left out", to make exact numbers plain where
// the server reads them, and to find unknown keys.
import type { TSchema } from 'typebox'
import type { WireSchema } from '../wire-schema.ts'
import { heldBy, isExact } from './exact-number.ts'

type Fields = Record<string, unknown>

const branchesOf = (schema: WireSchema): WireSchema[] => schema.anyOf?.flatMap(branchesOf) ?? [schema]

const hasTag = ({ properties }: WireSchema, tag: unknown): boolean => {
  const { type } = properties ?? {}
  return type === undefined || type.const === tag || type.enum?.includes(tag) === true
}

/**
 * The branch of a union for a list or an object. The function chooses it by the `type` of the value, then by the
 * required fields of the branches.
 */
const meantFor = (schema: WireSchema, value: object): WireSchema | undefined => {
  const kind = Array.isArray(value) ? 'array' : 'object'
  const tag = (value as Fields).type
  const meant = branchesOf(schema).filter(one => one.type === kind && (kind === 'array' || hasTag(one, tag)))
  const isWhole = ({ required = [] }: WireSchema) => required.every(name => (value as Fields)[name] != null)
  return meant.length > 1 ? (meant.find(isWhole) ?? meant[0]) : meant[0]
}

const takesNull = (schema: WireSchema): boolean =>
  branchesOf(schema).some(
    ({ type, enum: values, const: only }) =>
      type === 'null' || (type === undefined && (values?.includes(null) ?? only === undefined)),
  )

/**
 * The value without the nulls of optional fields whose schema allows no null: such a null means that the field was left
 * out. If there is nothing to remove, the function returns `value` itself.
 */
export const withoutNulls = (schema: TSchema, value: unknown): unknown =>
  lean(schema as WireSchema, value, property => !takesNull(property))

/**
 * The value without the nulls of all optional fields, to compare it with another one: both mean the same. Nulls in open
 * values stay.
 */
export const withoutLeftOut = (schema: TSchema, value: unknown): unknown =>
  lean(schema as WireSchema, value, () => true)

/** `isNothing`: whether null means "left out" in an optional field with this schema. */
const lean = (schema: WireSchema, value: unknown, isNothing: (schema: WireSchema) => boolean): unknown => {
  if (typeof value !== 'object' || value === null) return value
  const meant = meantFor(schema, value)
  if (meant === undefined) return value
  if (Array.isArray(value)) {
    const items =
      meant.items === undefined ? value : value.map(item => lean(meant.items as WireSchema, item, isNothing))
    return items.some((item, n) => item !== value[n]) ? items : value
  }
  const fields = value as Fields
  let copy: Fields | undefined
  for (const [name, property] of Object.entries(meant.properties ?? {})) {
    if (!Object.hasOwn(fields, name)) continue
    const isLeftOut = fields[name] === null && !meant.required?.includes(name) && isNothing(property)
    const child = lean(property, fields[name], isNothing)
    if (!isLeftOut && child === fields[name]) continue
    copy ??= { ...fields }
    if (isLeftOut) delete copy[name]
    else copy[name] = child
  }
  return copy ?? value
}

/** A number that the server must read and cannot hold. */
export type Unheld = { loc: (string | number)[]; text: string }

const isOpen = ({ type, enum: values, const: only }: WireSchema): boolean =>
  type === undefined && values === undefined && only === undefined

/** The schemas of a member of a list or an object, under each schema that is meant for the list or object. */
const schemasOf = (holders: WireSchema[], holder: object, key: string): WireSchema[] =>
  holders
    .filter(one => Array.isArray(holder) || hasTag(one, (holder as Fields).type))
    .flatMap(({ items, properties, patternProperties = {} }) => {
      if (Array.isArray(holder)) return items ?? []
      return ownProperty(properties, key) ?? Object.values(patternProperties)
    })
    .flatMap(branchesOf)

/**
 * The value with plain numbers in place of the exact numbers that the schema gives a type: the server reads those. A
 * number that JavaScript cannot hold goes to `unheld`, and the nearest takes its place. Where the schema allows
 * anything, exact numbers stay. If there is nothing to replace, the function returns `value` itself.
 */
export const withPlainNumbers = (schema: TSchema, value: unknown, unheld: Unheld[]): unknown => {
  const plain = (schemas: WireSchema[], each: unknown, loc: Unheld['loc']): unknown => {
    if (typeof each !== 'object' || each === null || schemas.length === 0 || schemas.some(isOpen)) return each
    if (isExact(each)) {
      const held = heldBy(each)
      if (held === undefined) unheld.push({ loc, text: each.rawJSON })
      return held ?? Number(each.rawJSON)
    }
    let copy: object | undefined
    for (const [key, child] of Object.entries(each)) {
      const place = Array.isArray(each) ? Number(key) : key
      const made = plain(schemasOf(schemas, each, key), child, [...loc, place])
      if (made === child) continue
      copy ??= Array.isArray(each) ? [...each] : { ...each }
      Object.assign(copy, { [key]: made })
    }
    return copy ?? each
  }
  return plain(branchesOf(schema as WireSchema), value, [])
}

const longestPath = 256

/** The paths of keys, at any depth, that the schema does not know, such as `agent_config.colour`; at most `max`. */
export const unknownKeys = (schema: TSchema, value: unknown, max: number): string[] => {
  const found: string[] = []
  const look = (at: string, here: WireSchema, each: unknown): void => {
    if (typeof each !== 'object' || each === null || found.length >= max) return
    const meant = meantFor(here, each)
    if (meant === undefined) return
    for (const [key, child] of Object.entries(each)) {
      if (found.length >= max) return
      const path = at === '' ? key : `${at}.${key}`
      const known = Array.isArray(each) ? meant.items : ownProperty(meant.properties, key)
      if (known !== undefined) look(path, known, child)
      else if (meant.properties !== undefined && meant.patternProperties === undefined) {
        found.push(path.slice(0, longestPath))
      }
    }
  }
  look('', schema as WireSchema, value)
  return found
}

/** The fields that the schema knows in the object at this place of the value. */
export const namesAt = (schema: TSchema, value: unknown, place: readonly (string | number)[]): string[] => {
  if (typeof value !== 'object' || value === null) return []
  const meant = meantFor(schema as WireSchema, value)
  const [key, ...rest] = place
  if (key === undefined) return Object.keys(meant?.properties ?? {})
  const within = Array.isArray(value) ? meant?.items : ownProperty(meant?.properties, String(key))
  return within === undefined ? [] : namesAt(within as TSchema, (value as Fields)[key], rest)
}

const ownProperty = (properties: Record<string, WireSchema> = {}, name: string): WireSchema | undefined =>
  Object.hasOwn(properties, name) ? properties[name] : undefined
