// Reads the messages of hosts: from bytes to JSON, then checks their form, and gives them their types.
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import {
  HostHello,
  type HostMessages,
  hostMessages,
  longestContext,
  longestHello,
  type MoveKind,
  moveSchemas,
} from '../contract/agent-protocol.ts'
import type { Move, Outcome, Turn } from '../contract/code-agent.ts'
import { readJson } from '../contract/json/exact-json.ts'
import { isExact } from '../contract/json/exact-number.ts'
import { deepestBody, maxKeys, maxValues } from '../contract/json/json-limits.ts'
import { withoutNulls } from '../contract/json/schema-walk.ts'
import { shapeProblem } from '../contract/json/shape.ts'
import { unsafeKeys } from '../contract/json/unsafe-keys.ts'
import { Unfit } from '../platform/programs/lines.ts'

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isExact(value)

/** Reads the bytes of a message as JSON, with the limits that bodies of requests have, too. Throws Unfit. */
export const readMessage = (bytes: Buffer): unknown => {
  const tooMuch = shapeProblem(bytes)
  if (tooMuch?.type === 'json_too_deep') throw new Unfit(`a message with more than ${deepestBody} levels`)
  if (tooMuch !== undefined)
    throw new Unfit(
      `a message with more than ${maxValues} values, or more than ${maxKeys} keys in one object`,
    )
  const text = bytes.toString()
  let message: unknown
  try {
    message = readJson(text)
  } catch {
    throw new Unfit(`what is no JSON: “${text}”`)
  }
  const [unsafe] = unsafeKeys(text, message, 1)
  if (unsafe !== undefined) throw new Unfit(`the key “${unsafe.loc.at(-1)}”, which is not allowed`)
  return message
}

const begin = /^\s*\{\s*(?:"type"\s*:\s*"[a-z]+"\s*,\s*)?"lease"\s*:\s*"([^"\\]{1,64})"/
/** The lease of a message that cannot be read, if the message names it at its begin. */
export const leaseAtBegin = (bytes: Buffer): string | undefined =>
  begin.exec(bytes.toString('latin1', 0, 200))?.[1]

/** Returns the function that checks a value. A null in an optional field counts as absent. Throws Unfit. */
const reader = <T extends TSchema>(schema: T, what: string) => {
  let compiled: ReturnType<typeof Compile<T>> | undefined // compiled at its first use
  return (given: unknown): Static<T> => {
    compiled ??= Compile(schema)
    const check = compiled
    if (check.Check(given)) return given
    const value = withoutNulls(schema, given)
    if (check.Check(value)) return value
    const [error] = check.Errors(value)
    const where = error?.instancePath ? `${error.instancePath.slice(1).replaceAll('/', '.')} ` : 'it '
    throw new Unfit(`${what} with an invalid field: ${where}${error?.message ?? 'is not valid'}`)
  }
}

const helloOf = reader(HostHello, 'a hello')
/** The hello in a message of so many bytes. Throws Unfit. */
export const readHello = (given: unknown, bytes: number): HostHello => {
  if (bytes > longestHello)
    throw new Unfit(
      `a hello of ${bytes} bytes, more than ${longestHello}: shorten what it says of its agents`,
    )
  return helloOf(given)
}
const readers = Object.fromEntries(
  Object.entries(hostMessages).map(([type, schema]) => [type, reader(schema, `a message ${type}`)]),
) as { [T in keyof HostMessages]: (given: unknown) => HostMessages[T] }
const moves = Object.fromEntries(
  Object.entries(moveSchemas).map(([kind, schema]) => [kind, reader(schema, `a move ${kind}`)]),
) as unknown as Record<MoveKind, (given: unknown) => Record<string, unknown>>

export type HostMessage = {
  [T in keyof HostMessages]: { type: T; fields: HostMessages[T] }
}[keyof HostMessages]

/** Undefined: a type of a later protocol, which is skipped. Throws Unfit. */
export const readHostMessage = (given: Record<string, unknown>): HostMessage | undefined => {
  const type = given.type as keyof HostMessages
  if (typeof type !== 'string') throw new Unfit('a message without a type')
  if (!Object.hasOwn(readers, type)) return undefined
  return { type, fields: readers[type](given) } as HostMessage
}

const has = (value: object, name: string): boolean => Object.hasOwn(value, name)

const moveOf = (given: { do: string }): Move => {
  if (!Object.hasOwn(moves, given.do)) throw new Unfit(`a move “${given.do}”, which there is not`)
  const kind = given.do as MoveKind
  const { silent, safe, ...move } = moves[kind](given)
  if (kind === 'tool' && has(move, 'arguments') === has(move, 'call_id'))
    throw new Unfit('a move tool that has not either arguments or call_id')
  if (kind === 'ran' && has(move, 'value') === has(move, 'error'))
    throw new Unfit('a move ran that has not either value or error')
  return { ...move, ...(silent === true && { silent }), ...(safe === true && { safe }) } as unknown as Move
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '')

const checkMachine = ({ context, ...rest }: NonNullable<HostMessages['turn']['machine']>): void => {
  const [own, others] = [bytesOf(context), bytesOf(rest)]
  if (own > longestContext) throw new Unfit(`a context of ${own} bytes, more than ${longestContext}`)
  if (others > longestContext)
    throw new Unfit(`a value with next_events of ${others} bytes, more than ${longestContext}`)
}

/** The turn of a message. Throws Unfit. */
export const turnOf = ({ seen, moves: given, machine, outcome }: HostMessages['turn']): Turn => {
  if (machine !== undefined) checkMachine(machine)
  if (outcome !== undefined && ['answer', 'error', 'changed'].filter(one => has(outcome, one)).length !== 1)
    throw new Unfit('an outcome that is not one of answer, error and changed')
  return {
    seen,
    moves: given.map(moveOf),
    ...(machine && { machine }),
    ...(outcome && { outcome: outcome as Outcome }),
  }
}
