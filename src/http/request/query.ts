// Reads queries. Each value is a text, and is accepted only in the form that its route expects.
import { Invalid, type Problem } from '../../contract/refusals.ts'
import { isDay } from '../../platform/iso-day.ts'
import { notOneOf, push, rangeProblem } from './problems.ts'

export type QueryReader = {
  text(name: string): string | undefined
  /**
   * A whole number that is at least `min` (0 if there is no `min`). Only digits with an optional minus are accepted;
   * other texts that JavaScript converts to numbers are refused.
   */
  integer<F extends number | undefined>(
    name: string,
    options: { min?: number; max?: number; fallback: F },
  ): number | F
  oneOf<V extends string, F extends V | undefined>(name: string, values: readonly V[], fallback: F): V | F
  /**
   * All values of the parameters `name`, `name[]` and `name[0]`, each of which may be a list that is separated by commas;
   * undefined if there are none.
   */
  listOf<V extends string>(name: string, values: readonly V[]): V[] | undefined
  boolean<F extends boolean | undefined>(name: string, fallback: F): boolean | F
  /** The value that `parse` makes of the text. If `parse` returns undefined, `msg` becomes a problem. */
  parsed<V>(name: string, parse: (text: string) => V | undefined, msg: string): V | undefined
  /** A time given as Unix seconds or in ISO 8601; returns milliseconds. */
  time(name: string): number | undefined
  /** A whole number that is not beyond `end`. */
  cursor(name: string, end: number): number | undefined
  /** Notes a problem if both parameters are given. `how` is the end of its text. */
  notBoth(one: string, other: string, how?: string): void
  /** The problems that the reader has found so far. */
  problems(): Problem[]
  /** Throws Invalid with all problems that the reader has found, if there are any. */
  done(): void
}

/** Throws Invalid with the problems that several readers of one request have found, if there are any. */
export const doneWith = (...readers: QueryReader[]): void => {
  const problems = readers.flatMap(reader => reader.problems())
  if (problems.length > 0) throw new Invalid(problems)
}

/** The source of values, and the problems found in it. */
type Source = { where: string; given: Record<string, unknown>; found: Problem[] }

const read = ({ given }: Source, name: string): unknown =>
  Object.hasOwn(given, name) ? given[name] : undefined

/** The name of a parameter without the brackets with which clients write lists: `name[]`, `name[0]`. */
export const bareName = (name: string): string => name.replace(/\[\d{0,6}\]$/, '')

/** All values of the parameters `name`, `name[]` and `name[0]`, separated at commas. */
const readAll = ({ given }: Source, name: string): unknown[] =>
  Object.entries(given)
    .filter(([key]) => bareName(key) === name)
    .flatMap(([, value]) => value)
    .flatMap(value => (typeof value === 'string' ? value.split(',') : [value]))

const refuse = <F>({ where, found }: Source, name: string, type: string, msg: string, fallback: F): F => {
  push(found, { loc: [where, name], type, msg })
  return fallback
}

const readText = (source: Source, name: string): string | undefined => {
  const value = read(source, name)
  if (value === undefined || typeof value === 'string') return value
  return refuse(source, name, 'string_type', 'Input should be a valid string', undefined)
}

const readInteger = <F extends number | undefined>(
  source: Source,
  name: string,
  { min = 0, max = largest, fallback }: { min?: number; max?: number; fallback: F },
): number | F => {
  const value = read(source, name)
  if (value === undefined) return fallback
  if (typeof value !== 'string' || !integerText.test(value)) {
    const msg = 'Input should be a valid integer, unable to parse string as an integer'
    return refuse(source, name, 'int_parsing', msg, fallback)
  }
  const problem = rangeProblem(Number(value), min, max, [source.where, name])
  push(source.found, problem)
  return problem ? fallback : Number(value)
}

const millisOf = (text: string): number | undefined =>
  secondsText.test(text) ? Math.round(Number(text) * 1000) : isoTime(text)

const readParsed = <V>(
  source: Source,
  name: string,
  parse: (text: string) => V | undefined,
  msg: string,
): V | undefined => {
  const value = read(source, name)
  if (value === undefined) return undefined
  const parsed = typeof value === 'string' ? parse(value) : undefined
  return parsed ?? refuse(source, name, 'value_error', msg, undefined)
}

const readCursor = (source: Source, name: string, end: number): number | undefined => {
  const after = readInteger(source, name, { fallback: undefined })
  if (after === undefined || after <= end) return after
  return refuse(source, name, 'value_error', 'The cursor is beyond the end of the log', undefined)
}

const readOneOf = <V extends string, F extends V | undefined>(
  source: Source,
  name: string,
  values: readonly V[],
  fallback: F,
): V | F => {
  const value = read(source, name)
  if (value === undefined) return fallback
  const known = values.find(each => each === value)
  if (known === undefined) push(source.found, notOneOf('enum', values, [source.where, name]))
  return known ?? fallback
}

const knownOf = <V extends string>(
  { where, found }: Source,
  name: string,
  values: readonly V[],
  given: unknown[],
): V[] | undefined => {
  if (given.length === 0) return undefined
  return given.flatMap((value, index) => {
    const one = values.find(each => each === value)
    if (one !== undefined) return [one]
    push(found, notOneOf('enum', values, [where, name, index]))
    return []
  })
}

const readBoolean = <F extends boolean | undefined>(
  source: Source,
  name: string,
  fallback: F,
): boolean | F => {
  const value = read(source, name)
  if (value === undefined) return fallback
  const word = typeof value === 'string' ? value.toLowerCase() : undefined
  if (word === 'true' || word === 'false') return word === 'true'
  const msg = 'Input should be a valid boolean, unable to interpret input'
  return refuse(source, name, 'bool_parsing', msg, fallback)
}

const refuseBoth = (source: Source, one: string, other: string, how: string): void => {
  if (read(source, one) === undefined || read(source, other) === undefined) return
  const msg = `${one} and ${other} cannot be given together${how}`
  for (const name of [one, other]) refuse(source, name, 'value_error', msg, undefined)
}

/**
 * Reads a query, or another source that `where` names. Every value is a text, or a list of texts if the parameter is
 * repeated.
 */
export function readQuery(query: unknown, where = 'query'): QueryReader {
  const given = (typeof query === 'object' && query !== null ? query : {}) as Record<string, unknown>
  const found: Problem[] = []
  const source: Source = { where, given, found }
  return {
    text: name => readText(source, name),
    integer: (name, options) => readInteger(source, name, options),
    parsed: (name, parse, msg) => readParsed(source, name, parse, msg),
    time: name => readParsed(source, name, millisOf, 'Give Unix seconds or an ISO 8601 time'),
    cursor: (name, end) => readCursor(source, name, end),
    notBoth: (one, other, how = '') => refuseBoth(source, one, other, how),
    oneOf: (name, values, fallback) => readOneOf(source, name, values, fallback),
    listOf: (name, values) => knownOf(source, name, values, readAll(source, name)),
    boolean: (name, fallback) => readBoolean(source, name, fallback),
    problems: () => found,
    done() {
      if (found.length > 0) throw new Invalid(found)
    },
  }
}

/**
 * An ISO 8601 date or time in milliseconds; undefined if the text is neither. Without an offset it is a time of UTC, as
 * all times of the server are: the same request must not mean another time on a machine in another zone.
 */
export const isoTime = (text: string): number | undefined => {
  if (!/^\d{4}-\d\d-\d\d(T|$)/.test(text) || !isDay(text.slice(0, 10))) return undefined
  const hasOffset = text.length === 10 || /(Z|[+-]\d\d:?\d\d)$/i.test(text)
  const time = Date.parse(hasOffset ? text : `${text}Z`)
  return Number.isNaN(time) ? undefined : time
}

const secondsText = /^\d{1,11}(\.\d{1,6})?$/
const integerText = /^(0|-?[1-9][0-9]*)$/
const largest = Number.MAX_SAFE_INTEGER
