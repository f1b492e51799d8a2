// The small questions that show whether the agent can work with a model's endpoint.
import { ModelRefused } from '../../agents/model/failures.ts'
import type { MessageContent, OutputItem, ToolDefinition } from '../../contract/wire.ts'
import { objectIn } from '../../model-requests/call-arguments.ts'
import { plural } from '../terminal/terminal.ts'
import {
  type Answered,
  type Conversation,
  conversation,
  converse,
  resultOf,
  userSays,
  withResults,
} from './conversation.ts'
import { type Finding, partly, type Question, quoted, Unfit, withSwitches, yes } from './question.ts'
import { heronPdf, longText, redSquare } from './samples.ts'

const calculator: ToolDefinition = {
  type: 'function',
  function: {
    name: 'calculator',
    description: 'Evaluates an arithmetic expression.',
    parameters: {
      type: 'object',
      properties: { expression: { type: 'string', description: 'For example 2+3*4' } },
      required: ['expression'],
      additionalProperties: false,
    },
  },
}

/** Throws when the endpoint says that its answer is not whole. A cut for its length only shows that the model talks much. */
const mustBeWhole = ({ response: { end, finish_reason } }: Answered): void => {
  if (end === undefined || end === 'unknown' || end === 'length') return
  throw new Unfit(`the endpoint says that the answer is not whole (finish reason: ${finish_reason})`)
}

/** Throws unless each call is one of the calculator that can run. */
const mustCall = (answer: Answered): void => {
  const { calls, text } = answer
  if (calls.length === 0) throw new Unfit(`the model called no tool and said ${quoted(text)}`)
  for (const { name, arguments: args } of calls) {
    if (name !== 'calculator') throw new Unfit(`the model called ${name}, which it was not offered`)
    if (objectIn(args) === undefined) {
      throw new Unfit(`the arguments of the call are no JSON object: ${quoted(args)}`)
    }
  }
  mustBeWhole(answer)
}
const mustSpeak = (answer: Answered): void => {
  const { text, response } = answer
  if (text.trim() === '') {
    throw new Unfit(`the model said nothing (finish reason: ${response.finish_reason ?? 'none'})`)
  }
  mustBeWhole(answer)
}

const text: Question = {
  name: 'text',
  needed: true,
  tries: [{ usage: 'off' }, { max_tokens: 'max_completion_tokens' }, { roles: 'user' }, { stream: 'off' }],
  async ask(endpoint) {
    const answer = await converse(endpoint, conversation([userSays('Say hello in five words.')]))
    mustSpeak(answer)
    const { text, pieces, usage } = answer
    const counted = usage && `${usage.input_tokens} tokens in, ${usage.output_tokens} out`
    return [
      yes('text', quoted(text)),
      endpoint.asks(endpoint.model).switches?.stream === 'off'
        ? partly('stream', 'the answer is not streamed, so users see it late')
        : yes('stream', `the text came in ${plural(pieces, 'piece')}`),
      counted === undefined
        ? partly('usage', 'the endpoint does not count tokens, so limits of tokens cannot work')
        : yes('usage', counted),
    ]
  },
}

const tool: Question = {
  name: 'tool',
  needed: true,
  tries: [{ tool_schemas: 'simple' }, { stream: 'off' }],
  async ask(endpoint) {
    const asked = userSays('Use the calculator for 17*23.')
    const answer = await converse(endpoint, conversation([asked], { tools: [calculator] }))
    mustCall(answer)
    return [yes('tool', `calculator ${answer.calls[0]?.arguments}`)]
  },
}

/** The most turns in which a model may use its tools before it answers. */
const mostTurns = 4

const thoughtFinding = (thought: string, { response }: Answered): Finding =>
  thought === '' && response.kept === undefined
    ? yes('thinking', 'the model showed no reasoning')
    : yes('thinking', `${plural(thought.length, 'character')} of reasoning, which went back with the results`)

const parallel: Question = {
  name: 'results',
  needed: true,
  tries: [
    ...([{ reasoning: 'required' }, { reasoning: 'off' }] as const),
    ...([{ empty_content: 'text' }, { empty_content: 'absent' }] as const),
    ...([{ call_ids: 'nine' }, { order: 'alternate' }, { stream: 'off' }] as const),
  ],
  async ask(endpoint) {
    const asked = userSays('Use the calculator for 19*21 and for 18*22, with both calls at once.')
    const first = await converse(endpoint, conversation([asked], { tools: [calculator] }))
    mustCall(first)
    let answer = first
    let results = 0
    for (let turn = 1; turn < mostTurns && answer.calls.length > 0; turn++) {
      const done = withResults(answer, () => (results++ % 2 === 0 ? '399' : '396'))
      answer = await converse(endpoint, done)
    }
    mustSpeak(answer)
    return [
      first.calls.length > 1
        ? yes('parallel', `${first.calls.length} calls at once`)
        : partly('parallel', 'one call at a time, so work takes more turns'),
      yes('results', `with the results of its calls the model said ${quoted(answer.text)}`),
      thoughtFinding(first.thought, first),
    ]
  },
}

/** What another model said: its ids, names and order are not those of this endpoint. */
const othersItems: OutputItem[] = [
  { type: 'message', id: 'msg_1', role: 'user', name: 'Ada L.', message_content: 'What is 6*7?' },
  {
    type: 'tool_call',
    id: 'call_1',
    status: 'completed',
    call_id: 'call_of-another-model:0123456789abcdef0123456789abcdef',
    name: 'calculator',
    arguments: '{"expression":"6*7"}',
  },
  resultOf('call_of-another-model:0123456789abcdef0123456789abcdef', '42'),
  {
    type: 'message',
    id: 'msg_2',
    role: 'user',
    name: 'Ada L.',
    message_content: 'Now I ask something else.',
  },
  { type: 'message', id: 'msg_3', role: 'developer', message_content: 'Be kind.' },
  { type: 'message', id: 'msg_4', role: 'user', message_content: ['What was the result', 'of the tool?'] },
]

const others: Question = {
  name: 'others',
  tries: [
    ...([{ names: 'off' }, { roles: 'system' }, { call_ids: 'nine' }, { calls: 'signed' }] as const),
    ...([{ order: 'system_first' }, { order: 'alternate' }, { text_parts: 'joined' }] as const),
    ...([{ roles: 'user' }, { empty_content: 'text' }] as const),
  ],
  async ask(endpoint) {
    // In the middle of a turn, and in a later one: some endpoints look only at the turn that goes on.
    for (const items of [othersItems.slice(0, 3), othersItems]) {
      const answer = await converse(endpoint, conversation(items, { tools: [calculator] }))
      if (answer.calls.length === 0) mustSpeak(answer)
    }
    return [yes('others', 'a conversation of another model can go on here')]
  },
}

const about = (part: Exclude<MessageContent, string>[number], question: string): OutputItem =>
  userSays([question, part])
const image = { type: 'image_url', image_url: { url: redSquare } } as const

const seen = (name: string, word: string, { text, calls }: Answered): Finding[] => [
  text.toLowerCase().includes(word)
    ? yes(name, quoted(text))
    : partly(name, `it was accepted, but the model said ${quoted(text || `${calls.length} calls`)}`),
]

const images: Question = {
  name: 'image',
  tries: [{ images: 'off' }],
  without: { images: 'off' },
  async ask(endpoint) {
    const asked = about(image, 'Which colour has this image? Say one word.')
    return seen('image', 'red', await converse(endpoint, conversation([asked])))
  },
}

const toolImages: Question = {
  name: 'tool image',
  tries: [{ tool_images: 'tool' }, { tool_images: 'off' }],
  without: { tool_images: 'off' },
  async ask(endpoint) {
    const call = { type: 'tool_call', id: 'call_1', status: 'completed', call_id: 'look12345' } as const
    const items: OutputItem[] = [
      userSays('Take a picture, and say in one word which colour it has.'),
      { ...call, name: 'calculator', arguments: '{"expression":"1"}' },
      resultOf('look12345', ['This is the picture.', image]),
    ]
    return seen('tool image', 'red', await converse(endpoint, conversation(items, { tools: [calculator] })))
  },
}

const files: Question = {
  name: 'file',
  tries: [{ files: 'document_url' }, { files: 'text' }],
  without: { files: 'text' },
  async ask(endpoint) {
    const file = { type: 'file', file: { filename: 'word.pdf', file_data: heronPdf } } as const
    const asked = about(file, 'Which word does this document tell? Say one word.')
    return seen('file', 'heron', await converse(endpoint, conversation([asked])))
  },
}

const schema = {
  type: 'object',
  properties: { city: { type: 'string' }, country: { type: 'string' } },
  required: ['city', 'country'],
  additionalProperties: false,
}
const structured: Question = {
  name: 'schema',
  tries: [{ schema: 'json_object' }, { schema: 'words' }],
  async ask(endpoint) {
    const request = { stream: false, structured_output: schema }
    const asked = userSays('Which city has the Eiffel Tower, and in which country is it?')
    const { text } = await converse(endpoint, conversation([asked], { request }))
    let value: unknown
    try {
      value = JSON.parse(text.replace(/^\s*```\w*\n|\n```\s*$/g, ''))
    } catch {
      throw new Unfit(`the answer is no JSON: ${quoted(text)}`)
    }
    const { city, country } = (value ?? {}) as Record<string, unknown>
    if (typeof city !== 'string' || typeof country !== 'string') {
      throw new Unfit(`the answer does not fit its schema: ${quoted(text)}`)
    }
    return [yes('schema', text.replace(/\s+/g, ' '))]
  },
}

/** So many lines make about 12 000 tokens, which a step with a few tools and files easily has. */
const longLines = 1000

const long: Question = {
  name: 'long',
  async ask(endpoint) {
    const asked = userSays(longText('lantern', longLines))
    return seen('long', 'lantern', await converse(endpoint, conversation([asked])))
  },
}

const errors: Question = {
  name: 'error',
  async ask(endpoint) {
    const asked = conversation([userSays('Say yes.')])
    try {
      await converse(endpoint, asked, 'no-such-model-reprise-check')
    } catch (error) {
      if (!(error instanceof ModelRefused)) throw error
      return [yes('error', `an unknown model is refused: ${error.message}`)]
    }
    return [
      partly('error', 'the endpoint answers for every name of a model, so a wrong MODEL is not noticed'),
    ]
  },
}

const whole: Question = {
  name: 'whole',
  async ask(endpoint) {
    const asked: Conversation = conversation([userSays('Say goodbye in five words.')])
    const answer = await converse(withSwitches(endpoint, { stream: 'off' }), asked)
    mustSpeak(answer)
    return [yes('whole', `without a stream: ${quoted(answer.text)}`)]
  },
}

/** In the order in which they are asked. The first one must work before others make sense. */
export const questions: readonly Question[] = [
  text,
  tool,
  parallel,
  others,
  images,
  toolImages,
  files,
  structured,
  long,
  errors,
  whole,
]
