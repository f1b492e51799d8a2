// The thread that reads large bodies, one after another. It checks and parses the bytes, checks the value by the schema
// of its operation, and computes the digest of a create. The main thread then gets no more than it needs: to receive
// 30 MiB would hold it up for 20 ms, and fill its memory.
import type { TSchema } from 'typebox'
import { type Carried, carried } from '../../contract/json/exact-number.ts'
import { isLongerThan } from '../../contract/json/length.ts'
import { Invalid, type Problem } from '../../contract/refusals.ts'
import { CreateTaskBody } from '../../contract/wire.ts'
import { type OperationId, operationsById } from '../../documents/operations.ts'
import { answerQuestions } from '../../platform/threads/answer-questions.ts'
import { threadGivesWay } from '../../platform/threads/give-way.ts'
import { digestOfCreate } from '../../tasks/request-secrets.ts'
import { bodyValidator } from '../request/validate.ts'
import { parseJson } from './json.ts'

/** `operation` is undefined for a route that is in no table: then there is no schema. */
export type Job = { chunks: Uint8Array[]; operation: OperationId | undefined }
/** `problems`: what the schema finds wrong with the value; undefined: nothing, or there is no schema. */
export type Parsed = { value: unknown; digest: string | undefined; problems: Problem[] | undefined }
/** `refused`: the problems of a body that is no JSON, or of a long body that does not fit its schema. */
export type Done = (Omit<Parsed, 'value'> & { carried: Carried }) | { refused: Problem[] }

/** Characters up to which the main thread receives a body that does not fit its schema, to look for more problems. */
const longestWrong = 256 * 1024

const readers = new Map<OperationId, (value: unknown) => unknown>()
const readerOf = (operation: OperationId): ((value: unknown) => unknown) => {
  const { body } = operationsById[operation] as { body?: { schema: TSchema } }
  const known = readers.get(operation) ?? (body === undefined ? value => value : bodyValidator(body.schema))
  readers.set(operation, known)
  return known
}

/** The most names of unknown fields that the main thread gets, and the most characters of each. */
const mostUnknown = { names: 100, characters: 1000 }

/**
 * A create in which the fields that the server does not know are null. The server ignores them, and they may be long, but
 * the task names them (`metadata.ignored_fields`).
 */
const knownFields = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value)
  const isKnown = ([name]: [string, unknown]) => Object.hasOwn(CreateTaskBody.properties, name)
  const unknown = entries.filter(entry => !isKnown(entry) && entry[0].length <= mostUnknown.characters)
  return Object.fromEntries([
    ...entries.filter(isKnown),
    ...unknown.slice(0, mostUnknown.names).map(([name]) => [name, null]),
  ])
}

const problemsIn = (work: () => void): Problem[] | undefined => {
  try {
    work()
    return undefined
  } catch (error) {
    if (error instanceof Invalid) return error.problems
    throw error
  }
}

const parsed = (bytes: Uint8Array, operation: OperationId | undefined): Parsed => {
  const given = parseJson(bytes)
  const isCreate = operation === 'createTask'
  let value = isCreate ? knownFields(given) : given
  const problems = problemsIn(() => {
    if (operation !== undefined) value = readerOf(operation)(value)
  })
  // The digest covers unknown fields, too. A body that does not fit the schema of a create has no digest.
  const digest = isCreate && problems === undefined ? digestOfCreate(given as CreateTaskBody) : undefined
  return { value, digest, problems }
}

const done = ({ chunks, operation }: Job): Done => {
  let body: Parsed | undefined
  const refused = problemsIn(() => {
    body = parsed(Buffer.concat(chunks), operation)
  })
  if (body === undefined) return { refused: refused ?? [] }
  const { problems, value, digest } = body
  if (problems !== undefined && isLongerThan(value, longestWrong)) return { refused: problems }
  return { carried: carried(value), digest, problems }
}

threadGivesWay('all')
answerQuestions(done)
