// Errors that come in place of an answer, or in the middle of one.
import { type Fields, fieldsOf, wordOf } from './endpoint-values.ts'
import { ModelLost, ModelRefused } from './failures.ts'
import { isTooLongFor } from './too-long.ts'

/** Types and codes of errors that come again with the same request. */
const ofRequest =
  /^(invalid_|authentication_|permission_|billing_|not_found_|request_too_large|context_length|bio_policy|data_residency|insufficient_quota|model_not_found)|image/

/** The failure for which an answer broke off: another try may succeed, unless the conversation is too long. */
export const failureFor = (why: string): ModelLost | ModelRefused => {
  const message = `the model's endpoint failed: ${why}`
  return isTooLongFor(why) ? new ModelRefused(message, 400) : new ModelLost(message)
}

/** The same in protocols whose errors have types. `error`: the object with its type or code. */
export const failureIn = ({ type, code }: Fields, why: string): ModelLost | ModelRefused => {
  const failure = failureFor(why)
  const { message } = failure
  if (code === 'context_length_exceeded') return new ModelRefused(message, 400, `${code}: ${why}`)
  const isOfRequest = [type, code].some(word => ofRequest.test(wordOf(word)))
  return isOfRequest && failure instanceof ModelLost ? new ModelRefused(message) : failure
}

/** The error object of a message: the field `error`, or the message itself. */
export const errorIn = (data: Fields): Fields => {
  const error = fieldsOf(data.error)
  return Object.keys(error).length > 0 ? error : { ...data, type: undefined }
}
