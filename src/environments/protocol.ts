// The line protocol between the service and the program of an environment, as docs/environments.md describes it:
// JSON-RPC without its version member, one message on each line.

import type { OpenObject, Recovery } from '../contract/environment.ts'
import { readJson } from '../contract/json/exact-json.ts'
import { heldBy, isExact } from '../contract/json/exact-number.ts'
import { Unfit } from '../platform/programs/lines.ts'

export const protocolVersion = 1
/** A value has at most this many levels of lists and objects. */
export const deepest = 64

/** The name of the folder for temporary files. It lies in the folder of an instance. */
export const temporary = '.tmp'

/** The description of a class in a module's hello. */
export type ClassInfo = {
  name: string
  /** Whether it is the default export of the module. */
  isDefault: boolean
  recovery: Recovery
  /** JSON Schema of `env_init_kwargs`. */
  parameters: OpenObject
  description: string
  /** How much data the environment accepts and keeps, as a text for people. */
  limits?: string
  /** The time limit of a step of this class, in milliseconds; absent: the server's limit applies. */
  stepTimeoutMs?: number
  /** Whether an agent gets the whole observation with the result of each step. */
  showsObservation: boolean
  /** Why the class cannot be used. */
  error?: string
}
/** The first message of a program. */
export type Hello = { classes: ClassInfo[] }

export type Method = 'create' | 'reset' | 'step' | 'observe' | 'snapshot' | 'restore' | 'close'

/** A message of a program. */
export type Said =
  | { is: 'hello'; hello: Hello }
  | { is: 'output'; id: number; text: string }
  | { is: 'answer'; id: number; result: unknown }
  | { is: 'refusal'; id: number; message: string }
  /** The program cannot continue, and says why before it ends. */
  | { is: 'failure'; message: string }
  /** A method of a later protocol version: it is skipped. */
  | { is: 'unknown' }

export const isObject = (value: unknown): value is OpenObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isExact(value)

const recoveries: readonly unknown[] = ['refold', 'snapshot', 'none'] satisfies Recovery[]

/** The largest `stepTimeoutMs`: a day. */
const longestTimeoutMs = 86_400_000
const isTimeout = (value: unknown): boolean =>
  Number.isSafeInteger(value) && Number(value) > 0 && Number(value) <= longestTimeoutMs

const classOf = (given: unknown): ClassInfo => {
  if (!isObject(given) || typeof given.name !== 'string') throw new Unfit('a class without a name')
  const {
    name,
    recovery = 'refold',
    parameters = {},
    description = '',
    limits,
    error,
    showsObservation = false,
  } = given
  // Python writes whole numbers with a fraction, such as 500.0.
  const timeout = given.stepTimeoutMs
  const stepTimeoutMs = isExact(timeout) ? (heldBy(timeout) ?? Number.NaN) : timeout
  const problem = !recoveries.includes(recovery)
    ? 'recovery is none of refold, snapshot, none'
    : !isObject(parameters)
      ? 'parameters is no JSON Schema'
      : stepTimeoutMs !== undefined && !isTimeout(stepTimeoutMs)
        ? 'stepTimeoutMs is no whole number from 1 to 86400000'
        : typeof showsObservation !== 'boolean'
          ? 'showsObservation is neither true nor false'
          : error
  return {
    name,
    isDefault: given.default === true,
    recovery: recoveries.includes(recovery) ? (recovery as Recovery) : 'none',
    parameters: isObject(parameters) ? parameters : {},
    description: String(description),
    showsObservation: showsObservation === true,
    ...(limits === undefined ? {} : { limits: String(limits) }),
    ...(typeof stepTimeoutMs === 'number' ? { stepTimeoutMs } : {}),
    ...(problem === undefined ? {} : { error: String(problem) }),
  }
}

const helloOf = (params: OpenObject): Hello => {
  if (params.protocol !== protocolVersion) {
    throw new Unfit(`a hello in version ${JSON.stringify(params.protocol)} of the protocol`)
  }
  if (!Array.isArray(params.classes)) throw new Unfit('a hello without classes')
  return { classes: params.classes.map(classOf) }
}

const notificationOf = (method: unknown, params: OpenObject): Said => {
  if (method === 'hello') return { is: 'hello', hello: helloOf(params) }
  if (method === 'failed') return { is: 'failure', message: String(params.message) }
  if (method !== 'output') return { is: 'unknown' }
  if (typeof params.text !== 'string') throw new Unfit('output without a text')
  return { is: 'output', id: Number(params.id), text: params.text }
}

/** Reads one line of a program as a message. Throws Unfit if the line is no message. */
export const readMessage = (line: string): Said => {
  let message: unknown
  try {
    message = readJson(line)
  } catch {
    throw new Unfit(`“${line.slice(0, 80)}”, which is no message`)
  }
  if (!isObject(message)) throw new Unfit(`“${line.slice(0, 80)}”, which is no message`)
  const { id, method, params = {}, error } = message
  if (typeof id === 'number') {
    if (error === undefined) return { is: 'answer', id, result: message.result }
    return { is: 'refusal', id, message: isObject(error) ? String(error.message) : String(error) }
  }
  if (method === undefined || !isObject(params)) throw new Unfit('neither an answer nor a notification')
  return notificationOf(method, params)
}
