// The messages in the data of an event. Endpoints send empty data, several messages in one event, and words in place
// of JSON.
import { type Fields, parsed } from './endpoint-values.ts'
import { ModelLost } from './failures.ts'
import { reasonOfText } from './reasons.ts'
import { failureFor } from './stream-errors.ts'

const brokeOff = (why: string) => new ModelLost(`the model's answer broke off: ${why}`)

const messageOf = (value: unknown): Fields => {
  const [only] = Array.isArray(value) && value.length === 1 ? value : [value]
  if (typeof only === 'object' && only !== null && !Array.isArray(only)) return only as Fields
  throw brokeOff('a chunk is no JSON object')
}

/** Throws ModelLost when the data are no messages. */
export const messagesIn = (data: string): Fields[] => {
  if (data.trim() === '') return []
  const value = parsed(data)
  if (value !== undefined) return [messageOf(value)]
  // Some endpoints end events with one line end, so that several become one, with the mark of the end in them.
  const lines = data.split('\n').filter(line => !['', '[DONE]'].includes(line.trim()))
  const values = lines.map(parsed)
  if (values.every(each => each !== undefined)) return values.map(messageOf)
  const words = reasonOfText(data)
  throw words === undefined ? brokeOff('a chunk is no JSON') : failureFor(words)
}
