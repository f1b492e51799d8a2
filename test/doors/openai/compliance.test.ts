// The seven behaviours that the public suite of Open Responses looks for, and the form of the response object that it wants.
import t from 'tap'
import { serveHere } from '../../support/server.ts'
import { decode } from '../../support/sse.ts'
import { scriptedModel } from './clients.ts'

const model = await scriptedModel(t)
const { api } = await serveHere(t, model.env)
type Json = Record<string, unknown>
const says = (role: string, content: unknown) => ({ type: 'message', role, content })
const forecast = {
  type: 'function',
  name: 'forecast',
  description: 'The weather to come.',
  parameters: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
}
const calls = [{ tool_calls: [{ name: 'forecast', arguments: { place: 'Oslo' } }] }]

const post = async (body: object) => {
  const answer = await api('POST', '/responses', { model: 'model', ...body })
  return { status: answer.status, text: await answer.text() }
}
const whole = async (body: object): Promise<Json> => JSON.parse((await post(body)).text) as Json
const streamed = async (body: object): Promise<Json[]> => {
  const { text } = await post({ ...body, stream: true })
  return decode(text).events.map(({ event, data }) => {
    const value = JSON.parse(data) as Json
    if (value.type !== event) throw new Error(`${event} is ${value.type}`)
    return value
  })
}

const nullOr = (type: string) => (value: unknown) => value === null || typeof value === type
const is = (type: string) => (value: unknown) => typeof value === type
/** The fields that every response has, and what each may be. */
const fields: Record<string, (value: unknown) => boolean> = {
  id: is('string'),
  object: value => value === 'response',
  created_at: Number.isInteger,
  completed_at: value => value === null || Number.isInteger(value),
  status: is('string'),
  incomplete_details: nullOr('object'),
  model: is('string'),
  previous_response_id: nullOr('string'),
  instructions: nullOr('string'),
  output: Array.isArray,
  error: nullOr('object'),
  tools: Array.isArray,
  tool_choice: value => value === 'auto' || typeof value === 'object',
  truncation: is('string'),
  parallel_tool_calls: is('boolean'),
  text: is('object'),
  top_p: is('number'),
  presence_penalty: is('number'),
  frequency_penalty: is('number'),
  top_logprobs: Number.isInteger,
  temperature: is('number'),
  reasoning: nullOr('object'),
  usage: nullOr('object'),
  max_output_tokens: nullOr('number'),
  max_tool_calls: nullOr('number'),
  store: is('boolean'),
  background: is('boolean'),
  service_tier: is('string'),
  metadata: is('object'),
  safety_identifier: nullOr('string'),
  prompt_cache_key: nullOr('string'),
}
const isResponse = (t: Tap, response: Json, status = 'completed') => {
  for (const [name, fits] of Object.entries(fields)) t.ok(name in response && fits(response[name]), name)
  t.equal(response.status, status)
  t.ok((response.output as Json[]).length > 0)
}
type Tap = Pick<typeof t, 'ok' | 'equal' | 'same' | 'match'>
const finalOf = (events: Json[]): Json => events.at(-1)?.response as Json
const typesOf = (events: Json[]) => events.map(({ type }) => type)

t.test('a message is answered', async t => {
  await model.texts('Good day to you.')
  isResponse(t, await whole({ input: [says('user', 'Greet me.')] }))
})

t.test('an answer is streamed', async t => {
  await model.texts('a b c')
  const events = await streamed({ input: [says('user', 'The alphabet, please.')] })
  t.equal(typesOf(events).at(-1), 'response.completed')
  t.equal(events.map(({ delta }) => delta ?? '').join(''), 'a b c')
  isResponse(t, finalOf(events))
})

t.test('a message of the system is heard', async t => {
  await model.texts('Ahoy!')
  isResponse(t, await whole({ input: [says('system', 'Speak as a sailor.'), says('user', 'Greet me.')] }))
  t.match(model.asked.at(-1)?.request?.messages, [{ role: 'system', content: 'Speak as a sailor.' }, {}])
})

t.test('a tool of the client is called', async t => {
  await model.script(calls)
  const response = await whole({ input: [says('user', 'Will it rain in Oslo?')], tools: [forecast] })
  isResponse(t, response)
  t.match(response.output, [{ type: 'function_call', name: 'forecast', call_id: /./ }])
})

t.test('a call of a tool is streamed', async t => {
  await model.script(calls)
  const events = await streamed({ input: [says('user', 'Will it rain in Oslo?')], tools: [forecast] })
  for (const type of ['added', 'done'])
    t.ok(
      events.some(
        event =>
          event.type === `response.output_item.${type}` && (event.item as Json).type === 'function_call',
      ),
      type,
    )
  for (const type of ['delta', 'done'])
    t.ok(typesOf(events).includes(`response.function_call_arguments.${type}`), type)
  isResponse(t, finalOf(events))
})

t.test('an image is taken', async t => {
  await model.texts('A dot.')
  const dot =
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+M8AAAMBAQDJ/pLvAAAAAElFTkSuQmCC'
  const parts = [
    { type: 'input_text', text: 'What is it?' },
    { type: 'input_image', image_url: dot },
  ]
  isResponse(t, await whole({ input: [says('user', parts)] }))
  t.ok(model.asked.at(-1)?.body.includes(dot), 'and the model gets it')
})

t.test('a conversation is taken whole', async t => {
  await model.texts('Your name is Kim.')
  const input = [says('user', 'I am Kim.'), says('assistant', 'Hello Kim.'), says('user', 'Who am I?')]
  isResponse(t, await whole({ input }))
  const asked = model.asked.at(-1)?.request?.messages ?? []
  t.same(
    asked.map(({ role }) => role),
    ['user', 'assistant', 'user'],
  )
})
