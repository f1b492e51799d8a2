// Copies what authors give into plain JSON. A value that JSON does not have is an error that names the place of the value.
import { hash } from 'node:crypto'
import { canonical } from '../../src/contract/json/canonical.ts'
import { deepestValue, mostKeys, mostValues } from './limits.ts'

const nameOf = (value: unknown): string | undefined => {
  if (value === undefined) return 'undefined'
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : String(value)
  if (typeof value === 'bigint' || typeof value === 'function' || typeof value === 'symbol')
    return `a ${typeof value}`
  if (value instanceof Map || value instanceof Set || value instanceof Promise || ArrayBuffer.isView(value))
    return `a ${value.constructor.name}`
  return undefined
}

const isUnsafe = (key: string, field: unknown): boolean =>
  key === '__proto__' ||
  (key === 'constructor' && typeof field === 'object' && field !== null && Object.hasOwn(field, 'prototype'))

/**
 * Throws a TypeError that names the place. `what` names the whole value, for example `the answer of the agent`. `levels`: the most
 * levels of lists and objects.
 */
export const plainJson = (value: unknown, what: string, levels = deepestValue): unknown => {
  let values = 0
  const count = (more: number) => {
    values += more
    if (values > mostValues)
      throw new TypeError(
        `${what} has more than ${mostValues} values: store it elsewhere, and pass its name, or give it as text`,
      )
  }
  const copy = (one: unknown, place: string, above: readonly object[]): unknown => {
    const name = nameOf(one)
    if (name !== undefined) {
      const help = one instanceof Promise ? ': await it first' : ''
      throw new TypeError(`${what} must be JSON, but ${place === '' ? 'it' : `“${place}”`} is ${name}${help}`)
    }
    if (typeof one !== 'object' || one === null) return one
    if (above.includes(one)) throw new TypeError(`${what} must be JSON, but “${place}” contains itself`)
    if (above.length >= levels) throw new TypeError(`${what} is nested more than ${levels} levels deep`)
    const inside = [...above, one]
    const at = (key: string | number) => (place === '' ? String(key) : `${place}.${key}`)
    if (Array.isArray(one)) {
      count(1 + one.length)
      return Array.from(one, (item, n) => copy(item, at(n), inside))
    }
    const { toJSON } = one as { toJSON?: unknown }
    if (typeof toJSON === 'function') return copy(toJSON.call(one), place, inside)
    const fields = Object.entries(one).filter(([, field]) => field !== undefined)
    count(1 + fields.length)
    if (fields.length > mostKeys)
      throw new TypeError(
        `${what} has an object with more than ${mostKeys} keys${place && ` (“${place}”)`}: give a list of pairs`,
      )
    return Object.fromEntries(
      fields.map(([key, field]) => {
        if (isUnsafe(key, field))
          throw new TypeError(`${what} has the key “${at(key)}”, which is not allowed: give it another name`)
        return [key, copy(field, at(key), inside)]
      }),
    )
  }
  return copy(value, '', [])
}

/** How many values a plain value has: its lists and objects, and what is in them. */
export const valuesIn = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0
  const children = Object.values(value)
  return children.reduce((sum: number, child) => sum + valuesIn(child), 1 + children.length)
}

/** Names what a call asks for. Two calls with the same digest ask for the same. */
export const digestOf = (value: unknown): string => hash('sha256', canonical(value), 'base64url').slice(0, 22)
