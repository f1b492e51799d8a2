// OpenAI Responses.
import type { Answer } from '../answer.ts'
import { countTokens, isToken } from '../answer-pieces.ts'
import { type Block, blocksOf, stepsOf } from '../blocks.ts'
import {
  anyObject,
  contentText,
  type Fields,
  fieldsOf,
  imagesIn,
  listOf,
  type Newest,
  problemOfList,
  type Question,
  textOf,
} from '../question.ts'
import { usageOf } from '../usage.ts'
import type { Event, Mark, Protocol, Said } from './protocol.ts'
import { eventsOfStep, itemOf } from './response-items.ts'

const newestOf = (item: unknown): Newest => {
  const { type, role, content, output } = fieldsOf(item)
  return type === 'function_call_output'
    ? { from: 'tool', text: contentText(output), images: imagesIn(output) }
    : { from: textOf(role) ?? '', text: contentText(content), images: imagesIn(content) }
}

const schemaOf = (format: unknown): unknown => {
  const { type, schema } = fieldsOf(format)
  if (type === 'json_schema') return schema ?? {}
  return type === 'json_object' ? anyObject : undefined
}

const read = (body: Fields): Question | string => {
  const input = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : body.input
  const problem = problemOfList('input', input)
  if (problem !== undefined) return problem
  return {
    model: textOf(body.model),
    stream: body.stream === true,
    usage: true,
    newest: newestOf(listOf(input).at(-1)),
    tools:
      body.tool_choice === 'none'
        ? []
        : listOf(body.tools).flatMap(tool => textOf(fieldsOf(tool).name) ?? []),
    schema: schemaOf(fieldsOf(body.text).format),
    thinks: true,
    sealed: listOf(body.include).includes('reasoning.encrypted_content'),
    prompt: JSON.stringify([body.instructions, ...listOf(input)]),
  }
}

/** How a response ended: its status and the fields that say why. null: it never says that it ended. */
const endOf = ({ finish_reason }: Answer): { status: string; why: Fields } | null => {
  if (finish_reason === null) return null
  const incomplete = (reason: string) => ({ status: 'incomplete', why: { incomplete_details: { reason } } })
  if (finish_reason === undefined || finish_reason === 'stop' || finish_reason === 'tool_calls') {
    return { status: 'completed', why: {} }
  }
  if (finish_reason === 'length') return incomplete('max_output_tokens')
  if (finish_reason === 'abort') return { status: 'cancelled', why: {} }
  if (finish_reason !== 'error') return incomplete(finish_reason)
  return { status: 'failed', why: { error: { code: 'server_error', message: 'the model failed' } } }
}
/** The event at the end; a response that was canceled has none of its own. */
const endEvents: Record<string, string> = {
  completed: 'response.completed',
  incomplete: 'response.incomplete',
  failed: 'response.failed',
  cancelled: 'response.completed',
}

const usageFields = ({ answer, question }: Said, tokens: number): Fields => {
  const usage = usageOf(answer, question, tokens)
  if (usage === undefined) return {}
  const { prompt, completion, cached = 0, reasoning = 0 } = usage
  return {
    usage: {
      input_tokens: prompt,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: completion,
      output_tokens_details: { reasoning_tokens: reasoning },
      total_tokens: prompt + completion,
    },
  }
}

const responseOf = ({ head }: Said, status: string, output: Fields[], more: Fields): Fields => ({
  id: `resp_fake_${head.number}`,
  object: 'response',
  created_at: head.created,
  status,
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  model: head.model,
  output,
  parallel_tool_calls: true,
  previous_response_id: null,
  temperature: 1,
  tool_choice: 'auto',
  tools: [],
  top_p: 1,
  ...more,
})

function* events(said: Said): Generator<Event> {
  let sequence_number = 0
  const event = (is: Mark, type: string, fields: Fields): Event => ({
    is,
    name: type,
    data: { type, sequence_number: sequence_number++, ...fields },
  })
  yield event('begin', 'response.created', { response: responseOf(said, 'in_progress', [], {}) })
  yield event('begin', 'response.in_progress', { response: responseOf(said, 'in_progress', [], {}) })
  const counted = countTokens(said.pieces)
  const blocks: Block[] = []
  for (const step of stepsOf(counted.pieces)) {
    if (step.at === 'end') blocks.push(step.block)
    for (const { is, type, fields } of eventsOfStep(said, step)) yield event(is, type, fields)
  }
  const end = endOf(said.answer)
  if (end === null) return
  const output = blocks.map((block, index) => itemOf(said, block, index, 'completed'))
  yield event('finish', endEvents[end.status] ?? 'response.completed', {
    response: responseOf(said, end.status, output, { ...usageFields(said, counted.tokens()), ...end.why }),
  })
}

const whole = (said: Said): Fields => {
  const pieces = [...said.pieces]
  const output = blocksOf(pieces).map((block, index) => itemOf(said, block, index, 'completed'))
  const { status, why } = endOf(said.answer) ?? { status: 'in_progress', why: {} }
  return responseOf(said, status, output, { ...usageFields(said, pieces.filter(isToken).length), ...why })
}

export const responses: Protocol = {
  name: 'responses',
  title: 'OpenAI Responses',
  path: '/v1/responses',
  read,
  events,
  whole,
  error: (_status, message) => ({ error: { message } }),
}
