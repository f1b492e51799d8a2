// Checks that a script can be played. Each problem names its answer and its field.
import { validateHeaderName, validateHeaderValue } from 'node:http'
import { type Answer, reasoningPlaces } from './answer.ts'
import { faultNamed, noFault } from './faults/faults.ts'

/** Returns the problems of a field's value; an empty list if there are none. */
type Check = (value: unknown, field: string) => string[]

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const must =
  (expected: string, holds: (value: unknown) => boolean): Check =>
  (value, field) =>
    holds(value) ? [] : [`${field} must be ${expected}`]
const isWhole = (value: unknown, min: number, max: number): boolean =>
  Number.isInteger(value) && (value as number) >= min && (value as number) <= max

const text = must('a text', value => typeof value === 'string')
const truth = must('true or false', value => typeof value === 'boolean')
const longestTimer = 2 ** 31 - 1
const time = must(`milliseconds from 0 to ${longestTimer}`, value => isWhole(value, 0, longestTimer))
const count = must('a whole number from 0', value => isWhole(value, 0, Number.MAX_SAFE_INTEGER))

const counts = {
  prompt_tokens: count,
  completion_tokens: count,
  cached_tokens: count,
  reasoning_tokens: count,
}

const objectOf =
  (fields: Record<string, Check>, required: string[] = []): Check =>
  (value, field) => {
    const at = (name: string) => (field === '' ? name : `${field}.${name}`)
    if (!isObject(value)) return [`${field === '' ? 'it' : field} must be an object`]
    return [
      ...required.filter(name => !(name in value)).map(name => `${at(name)} is missing`),
      ...Object.entries(value).flatMap(([name, inner]) => {
        const check = Object.hasOwn(fields, name) ? fields[name] : undefined
        return check === undefined ? [`${at(name)} is no field of an answer`] : check(inner, at(name))
      }),
    ]
  }
const listOf =
  (check: Check): Check =>
  (value, field) =>
    Array.isArray(value)
      ? value.flatMap((inner, n) => check(inner, `${field}[${n}]`))
      : [`${field} must be a list`]

const headers: Check = (value, field) => {
  if (!isObject(value)) return [`${field} must be an object`]
  return Object.entries(value).flatMap(([name, content]) => {
    try {
      validateHeaderName(name)
      validateHeaderValue(name, typeof content === 'string' ? content : '\n')
      return []
    } catch {
      return [`${field}.${name} must be a header name with a text as its value`]
    }
  })
}

const fault: Check = (value, field) =>
  typeof value === 'string'
    ? faultNamed(value) === undefined
      ? [`${field}: ${noFault(value)}`]
      : []
    : Array.isArray(value)
      ? value.flatMap((name, n) => fault(name, `${field}[${n}]`))
      : [`${field} must be the name of a fault, or a list of names`]

const fields: Record<keyof Answer, Check> = {
  when: text,
  reasoning: text,
  reasoning_as: must(`one of ${reasoningPlaces.join(', ')}`, value =>
    (reasoningPlaces as readonly unknown[]).includes(value),
  ),
  signature: must('a text or false', value => value === false || typeof value === 'string'),
  redacted: text,
  text,
  refusal: text,
  tool_calls: listOf(
    objectOf(
      {
        name: text,
        arguments: must('an object or a text', value => isObject(value) || typeof value === 'string'),
        id: text,
        extra: must('an object', isObject),
      },
      ['name'],
    ),
  ),
  usage: (value, field) =>
    value === false ? [] : objectOf(counts, ['prompt_tokens', 'completion_tokens'])(value, field),
  finish_reason: must('a text or null', value => value === null || typeof value === 'string'),
  logprobs: truth,
  token_ids: truth,
  model: text,
  system_fingerprint: text,
  error: objectOf(
    {
      status: must('an HTTP status from 200 to 599', value => isWhole(value, 200, 599)),
      message: text,
      headers,
      body: text,
    },
    ['status'],
  ),
  delay_ms: time,
  token_ms: time,
  chunks: listOf(must('an object or a text', value => typeof value === 'string' || isObject(value))),
  done: truth,
  cut: truth,
  hang: truth,
  repeat: must('a whole number from 1', value => isWhole(value, 1, Number.MAX_SAFE_INTEGER)),
  fault,
}

/** The fields that are a whole answer by themselves, each with the fields that may stand beside it. */
const beside: Partial<Record<keyof Answer, (keyof Answer)[]>> = {
  error: ['when', 'delay_ms', 'fault'],
  chunks: ['when', 'delay_ms', 'token_ms', 'done', 'cut', 'hang', 'fault'],
}

const misfits = (answer: Record<string, unknown>): string[] =>
  Object.entries(beside).flatMap(([whole, others]) =>
    whole in answer
      ? Object.keys(answer)
          .filter(
            name => Object.hasOwn(fields, name) && name !== whole && !others.includes(name as keyof Answer),
          )
          .map(name => `${name} cannot stand beside ${whole}`)
      : [],
  )

/** Every problem of a script, each in one line; an empty list if the script is a valid list of answers. */
export const problemsOfScript = (script: unknown): string[] => {
  if (!Array.isArray(script)) return ['a script must be a list of answers']
  return script.flatMap((answer, n) =>
    [...objectOf(fields)(answer, ''), ...(isObject(answer) ? misfits(answer) : [])].map(
      problem => `answer ${n + 1}: ${problem}`,
    ),
  )
}
