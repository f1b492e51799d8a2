// Errors that come as a message of a stream, in protocols whose errors have types.
import { type Fields, fieldsOf, wordOf } from './endpoint-values.ts'
import { ModelLost, ModelRefused } from './failures.ts'
import { isTooLongFor } from './too-long.ts'

/** Types and codes of errors that come again with the same request. */
const ofRequest =
  /^(invalid_|authentication_|permission_|billing_|not_found_|request_too_large|context_length|bio_policy|data_residency|insufficient_quota|model_not_found)|image/

/** The failure for which an answer broke off. `error`: the object with its type or code. */
export const failureIn = (error: Fields, why: string): ModelLost | ModelRefused => {
  const { type, code } = error
  const message = `the model's endpoint failed: ${why}`
  const isOfRequest = [type, code].some(word => ofRequest.test(wordOf(word)))
  if (wordOf(code) === 'context_length_exceeded' || isTooLongFor(why)) return new ModelRefused(message, 400)
  return isOfRequest ? new ModelRefused(message) : new ModelLost(message)
}

/** The error object of a message: the field `error`, or the message itself. */
export const errorIn = (data: Fields): Fields => {
  const error = fieldsOf(data.error)
  return Object.keys(error).length > 0 ? error : { ...data, type: undefined }
}
