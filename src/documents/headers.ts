// The headers of answers. Each is described once, in `components.headers`; answers refer to the description.
import { everyAnswer } from '../contract/answer-headers.ts'
import { headers as ofAnswers } from './operation.ts'
import type { Json } from './schemas.ts'

const text = (description: string): Json => ({ description, schema: { type: 'string' } })
const fixed = (description: string, value: string): Json => ({
  description,
  schema: { type: 'string', const: value },
})

/** Headers that every answer may have. */
const ofEveryAnswer: Record<string, Json> = {
  'X-Request-ID': text('The id of the request. Characters that are not printable ASCII are percent-encoded.'),
  ...Object.fromEntries(
    Object.entries(everyAnswer).map(([name, { value, about }]) => [name, fixed(about, value)]),
  ),
  'X-Ignored-Query': text(
    'The names of the query parameters that the operation does not know, percent-encoded and separated by commas. Absent if there are none.',
  ),
  'X-Ignored-Fields': text(
    'The paths of the fields of the body that the operation does not know or use, percent-encoded and separated by commas; at most 20, and no more than fit into 4,096 characters. Absent if there are none. With the request header `Prefer: handling=strict`, such a request gets 422.',
  ),
  'X-Did-You-Mean': text(
    'For ignored names that are nearly known ones: the name, `=`, and the known name, percent-encoded and separated by commas, such as `agent_confg=agent_config`. Absent if there are none.',
  ),
  'Preference-Applied': text(
    '`handling=strict` if the request asked for it, with `Prefer: handling=strict`. Otherwise absent.',
  ),
}

/** Headers of refusals, by status. */
const ofRefusals: Record<number, Record<string, Json>> = {
  401: {
    'WWW-Authenticate': text(
      '`Bearer`: the kind of token that the server takes. At `/mcp` also where the metadata about its tokens is.',
    ),
  },
  409: { 'X-Should-Retry': fixed('`false`: the server would refuse the same request again.', 'false') },
  429: { 'Retry-After': retryAfter() },
  503: { 'Retry-After': retryAfter() },
}
function retryAfter(): Json {
  return { description: 'Seconds to wait before the next attempt.', schema: { type: 'integer' } }
}

/** Every header, by name: the content of `components.headers`. */
export const headerComponents: Record<string, Json> = {
  ...ofEveryAnswer,
  ...Object.fromEntries(Object.entries(ofAnswers).map(([name, about]) => [name, text(about)])),
  ...Object.assign({}, ...Object.values(ofRefusals)),
}

const referringTo = (names: string[]): Json =>
  Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))

/** The headers of an answer: the headers that every answer may have, and the headers with these names. */
export const headersWith = (names: string[] = []): Json =>
  referringTo([...Object.keys(ofEveryAnswer), ...names])

/** The headers of a refusal with this status. */
export const headersOfRefusal = (status: number): Json => headersWith(Object.keys(ofRefusals[status] ?? {}))
