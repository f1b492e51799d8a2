// The switches of a request to a model: how endpoints of one protocol differ in what they accept. The first value of
// each switch is the plain one, which most endpoints accept.

type Switch = { readonly values: readonly [string, ...string[]]; readonly about: string }

export const switches = {
  stream: {
    values: ['on', 'off'],
    about: '`off`: the answer is asked for whole, for endpoints that cannot stream answers with tools',
  },
  usage: {
    values: ['on', 'off'],
    about: '`on`: the request has `stream_options`, with which many endpoints say what a stream has used',
  },
  max_tokens: {
    values: ['max_tokens', 'max_completion_tokens'],
    about: 'the field that holds `max_response_length`',
  },
  parallel: {
    values: ['unset', 'on', 'off'],
    about: 'the value of `parallel_tool_calls` in requests with tools; `unset`: the field is not sent',
  },
  roles: {
    values: ['as_given', 'system', 'developer', 'user'],
    about:
      'the role of instructions. `as_given`: `system` and `developer`, as the request has them; `user`: for models without such a role, whose first message has the instructions',
  },
  names: {
    values: ['on', 'off'],
    about: '`off`: the names of speakers stand in the text, for endpoints that refuse the field `name`',
  },
  reasoning: {
    values: ['as_given', 'required', 'off'],
    about:
      'the reasoning of earlier turns. `as_given`: it goes back in the field in which it came; `required`: also, each message with calls has the field `reasoning_content`, empty if there was none; `off`: it does not go back',
  },
  call_ids: {
    values: ['as_given', 'nine'],
    about: '`nine`: ids of calls that are not nine letters and digits are replaced',
  },
  calls: {
    values: ['as_given', 'signed'],
    about: '`signed`: calls of other models get the mark with which Gemini accepts calls without a signature',
  },
  order: {
    values: ['any', 'system_first', 'alternate'],
    about:
      'the order of messages. `system_first`: later instructions go in messages of the user; `alternate`: also, neighbours of one role become one message, and a short message of the assistant stands between results of tools and a message of the user',
  },
  empty_content: {
    values: ['null', 'text', 'absent'],
    about: 'the content of a message that only has calls: `null`, an empty text, or no field',
  },
  tool_images: {
    values: ['user', 'tool', 'off'],
    about:
      'images and files that tools return. `user`: in a message of the user after the results; `tool`: in the result; `off`: a note says that there was one',
  },
  text_parts: {
    values: ['as_given', 'joined'],
    about: '`joined`: several texts of one message become one, for endpoints that take no lists',
  },
  images: { values: ['on', 'off'], about: '`off`: a note stands in place of each image' },
  audio: { values: ['on', 'off'], about: '`off`: a note stands in place of each sound' },
  files: {
    values: ['file', 'document_url', 'text'],
    about:
      'the part that holds a file: `file`, or `document_url` as of Mistral. `text`: text files stand in the text, and a note in place of others',
  },
  schema: {
    values: ['json_schema', 'json_object', 'words'],
    about:
      'how `structured_output` is asked for: with the schema, as JSON with the schema in the instructions, or in the instructions alone',
  },
  answer_room: {
    values: ['32000', '8192', '4096'],
    about:
      'Messages: `max_tokens` of requests without `max_response_length`. The tokens for thoughts are added',
  },
  sealed: {
    values: ['on', 'off'],
    about:
      'Responses: `on`: the endpoint is asked for its reasoning in encrypted form, which goes back to it',
  },
  cache: {
    values: ['on', 'off'],
    about: 'Messages: `on`: marks in the body say up to where the endpoint shall cache the prompt',
  },
  tool_schemas: {
    values: ['as_given', 'simple'],
    about:
      '`simple`: schemas of tools have no references and no keywords that endpoints with strict parsers refuse',
  },
} as const satisfies Record<string, Switch>

export type SwitchName = keyof typeof switches
export type Switches = { [Name in SwitchName]: (typeof switches)[Name]['values'][number] }

const names = Object.keys(switches) as SwitchName[]

export const plain: Switches = Object.fromEntries(
  names.map(name => [name, switches[name].values[0]]),
) as Switches

/** Whether a name is that of a switch, and the value one of its values. */
export const isSwitch = (name: string, value: string): boolean =>
  Object.hasOwn(switches, name) && (switches[name as SwitchName].values as readonly string[]).includes(value)

/** The switches with another value than the plain one; undefined: there is none. */
export const unlikePlain = (given: Switches): Record<string, string> | undefined => {
  const other = names.filter(name => given[name] !== plain[name]).map(name => [name, given[name]])
  return other.length === 0 ? undefined : Object.fromEntries(other)
}

/** All switches of a stored request. */
export const withPlain = (stored: Record<string, string> | undefined): Switches => {
  const known = Object.entries(stored ?? {}).filter(([name, value]) => isSwitch(name, value))
  return { ...plain, ...Object.fromEntries(known) }
}
