// What an endpoint's refusals say about what it takes. Each is a switch that is set for this model until the next
// start, which tries again, since the endpoint may have changed by then.
import type { Switches } from '../../model-requests/switches.ts'
import type { ModelRefused } from './failures.ts'
import type { WireName } from './wires.ts'

type Change = Partial<Switches>
/**
 * `says`: words of refusals. `change`: what to do about it; undefined: that is done already. `protocols`: where it is
 * learned; absent: from chat completions alone.
 */
type Lesson = {
  says: RegExp
  change: (present: Switches) => Change | undefined
  protocols?: readonly WireName[]
}

/** The next of these values. The first one follows all other values. */
const next =
  <Name extends keyof Switches>(name: Name, ...values: Switches[Name][]) =>
  (present: Switches): Change | undefined => {
    const value = values[values.indexOf(present[name]) + 1]
    return value === undefined ? undefined : ({ [name]: value } as Change)
  }

const lessons: Lesson[] = [
  { says: /stream_options|include_usage/i, change: next('usage', 'off') },
  {
    says: /max_completion_tokens/i,
    change: ({ max_tokens: name }) => ({
      max_tokens: name === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens',
    }),
  },
  { says: /parallel_tool_calls/i, change: next('parallel', 'unset') },
  {
    says: /response_format|json_schema|structured|guided/i,
    change: next('schema', 'json_object', 'words'),
  },
  {
    says: /(reasoning_content|thinking).*(pass|missing|must|required)/i,
    change: next('reasoning', 'required'),
  },
  {
    says: /(unknown|unsupported|unrecogni[sz]ed|unexpected|extra|not permitted|not supported).*\breasoning(_content|_details)?\b|\breasoning(_content|_details)?\b.*(unknown|unsupported|unrecogni[sz]ed|unexpected|extra|not permitted)/i,
    change: next('reasoning', 'off'),
  },
  { says: /missing a thought_signature/i, change: next('calls', 'signed') },
  { says: /length of 9|9 (characters|letters)/i, change: next('call_ids', 'nine') },
  { says: /role '?user'? after role '?tool|must alternate/i, change: next('order', 'alternate') },
  {
    says: /system message must be (at the beginning|first)/i,
    change: next('order', 'system_first', 'alternate'),
  },
  { says: /system role not supported|role '?system/i, change: next('roles', 'user') },
  { says: /developer/i, change: next('roles', 'system') },
  { says: /\b(user|assistant|system|messages\W*\d+\W*)\.name\b/i, change: next('names', 'off') },
  { says: /content.*(must|should|expected).*string/i, change: next('text_parts', 'joined') },
  { says: /tools? .*(with|while|and) stream/i, change: next('stream', 'off') },
  {
    says: /output_config|output_format|json_schema|structured/i,
    change: next('schema', 'words'),
    protocols: ['messages'],
  },
  { says: /parallel_tool_calls/i, change: next('parallel', 'unset'), protocols: ['responses'] },
  {
    says: /encrypted[ _]content|'?include'?/i,
    change: next('sealed', 'off'),
    protocols: ['responses'],
  },
  {
    says: /text\.format|response_format|json_schema|structured/i,
    change: next('schema', 'json_object', 'words'),
    protocols: ['responses'],
  },
  { says: /developer/i, change: next('roles', 'system'), protocols: ['responses'] },
  { says: /cache_control/i, change: next('cache', 'off'), protocols: ['messages'] },
  {
    says: /max_tokens.*(maximum allowed|exceeds|too large|at most|less than or equal)/i,
    change: next('answer_room', '8192', '4096'),
    protocols: ['messages'],
  },
]

/** The statuses with which endpoints refuse what is in a body. Some servers fail over it. */
const ofBody = [400, 404, 415, 422, 500, 501]

/** Whether a refusal may be about the body of the request. */
export const isAboutBody = ({ status = 0 }: ModelRefused): boolean => ofBody.includes(status)

/** The change that a refusal suggests; undefined: it suggests none. */
export const learned = (
  present: Switches,
  { words }: ModelRefused,
  protocol: WireName,
): Change | undefined => {
  for (const { says, change, protocols = ['chat'] } of lessons) {
    const found = protocols.includes(protocol) && says.test(words) ? change(present) : undefined
    if (found !== undefined) return found
  }
  return undefined
}
