// What the errors of a provider package mean: the endpoint refused, the answer broke off, or the package itself cannot
// write the request.
import { type Fields, fieldsOf, wordOf } from '../endpoint-values.ts'
import { ModelLost, ModelRefused, type Redact } from '../failures.ts'
import { reasonOfBody } from '../reasons.ts'
import type { Wire } from './wire.ts'

/** An error of the endpoint, as packages tell it that send by themselves. */
const refusedBy = (fields: Fields): ModelRefused | ModelLost | undefined => {
  const { statusCode: status, responseBody, isRetryable } = fields
  if (typeof status !== 'number' || status < 300) return undefined
  const words = reasonOfBody(wordOf(responseBody), status)
  const why = `the model's endpoint answered ${status}: ${words}`
  return isRetryable === true ? new ModelLost(why) : new ModelRefused(why, status, words)
}

const meant = (error: unknown, wire: Wire, name: string): ModelRefused | ModelLost => {
  const own = [wire.failure(), error].find(each => each instanceof ModelRefused || each instanceof ModelLost)
  if (own !== undefined) return own as ModelRefused | ModelLost
  const { message } = error as Error
  const refused = refusedBy(fieldsOf(error))
  if (refused !== undefined) return refused
  if (wire.isAnswered()) return new ModelLost(`the model's answer broke off: ${message}`)
  return new ModelRefused(`${name} cannot ask the model: ${message}`)
}

/** The failure that an error means. `name`: that of the package. */
export const failureOf = (
  error: unknown,
  wire: Wire,
  name: string,
  redact: Redact,
): ModelRefused | ModelLost => {
  const failure = meant(error, wire, name)
  return failure instanceof ModelRefused
    ? new ModelRefused(redact(failure.message), failure.status, failure.words)
    : new ModelLost(redact(failure.message))
}
