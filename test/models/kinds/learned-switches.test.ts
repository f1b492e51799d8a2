// The kind: an endpoint refuses a field that others accept, and each task fails. The server learns from the refusal what
// the endpoint takes, asks once more for each thing, remembers it, and never changes what the operator has set.
import t from 'tap'
import { replayTasks, sse } from '../../agents/streams/replay.ts'
import { delta } from '../../support/fake-model.ts'

type Body = Record<string, unknown> & { messages: { role: string; content: unknown; name?: string }[] }
const says = (content: string) => ({ body: [sse(delta({ content }, 'stop'), '[DONE]')] })
const refuses = (message: string, status = 400) => ({
  status,
  body: [JSON.stringify({ error: { message } })],
  headers: { 'content-type': 'application/json' },
})
const schema = { type: 'object', required: ['ok'], properties: { ok: { type: 'boolean' } } }
const developer = { type: 'message', role: 'developer', message_content: 'Be brief.' }
const speaker = { type: 'message', role: 'user', name: 'Ann', message_content: 'hi' }
const parts = [
  { type: 'text', text: 'a' },
  { type: 'text', text: 'b' },
]

/** What an endpoint refuses, its words, what a request asks, and the switch that mends it. */
const table: Record<
  string,
  { refuses: (body: Body) => boolean; words: string; asks?: object; set: string; status?: number }
> = {
  stream_options: {
    refuses: body => 'stream_options' in body,
    words: 'Unrecognized request argument supplied: stream_options',
    set: 'usage=on',
  },
  'stream_options in the words of Mistral': {
    refuses: body => 'stream_options' in body,
    words:
      '[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]',
    set: 'usage=on',
    status: 422,
  },
  max_tokens: {
    refuses: body => 'max_tokens' in body,
    words:
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    asks: { agent_config: { max_response_length: 100 } },
    set: 'max_tokens=max_tokens',
  },
  'roles of developers': {
    refuses: ({ messages }) => messages.some(({ role }) => role === 'developer'),
    words: "Unexpected role 'developer', must be one of system, user, assistant, tool",
    asks: { history_messages: [developer] },
    set: 'roles=as_given',
  },
  names: {
    refuses: ({ messages }) => messages.some(({ name }) => name !== undefined),
    words: 'property messages.0.name is unsupported',
    asks: { history_messages: [speaker] },
    set: 'names=on',
  },
  'lists of texts': {
    refuses: ({ messages }) => messages.some(({ content }) => Array.isArray(content)),
    words: 'messages[0].content: invalid type: sequence, expected a string',
    asks: { user_message_content: parts },
    set: 'text_parts=as_given',
  },
  response_format: {
    refuses: body => 'response_format' in body,
    words: "'response_format' of type json_schema is not supported",
    asks: { structured_output: schema },
    set: 'schema=json_schema',
  },
  'response_format over which it fails': {
    refuses: body => 'response_format' in body,
    words: 'json_schema: not implemented',
    asks: { structured_output: schema },
    set: 'schema=json_schema',
    status: 501,
  },
}

for (const [name, { refuses: isRefused, words, asks = {}, set, status }] of Object.entries(table)) {
  t.test(name, async t => {
    const answer = (bodies: () => Body) => () =>
      isRefused(bodies()) ? refuses(words, status) : says('{"ok":true}')
    const learns = await replayTasks(t, (_, nth) => answer(() => learns.asked[nth]?.body as Body)())
    const first = await learns.ask(asks)
    t.equal(first.status, 'completed', JSON.stringify(first.error))
    const asked = learns.asked.length
    t.ok(asked === 2 || (name.startsWith('response_format') && asked === 3), `asked ${asked} times`)
    t.equal((await learns.ask(asks)).status, 'completed')
    t.equal(learns.asked.length, asked + 1, 'it is remembered')
    t.equal(
      (
        await learns.ask({
          ...asks,
          agent_config: { ...('agent_config' in asks ? (asks.agent_config as object) : {}), model: 'other' },
        })
      ).status,
      'completed',
    )
    t.equal(learns.asked.length, 2 * asked + 1, 'for each model by itself')

    const told = await replayTasks(t, (_, nth) => answer(() => told.asked[nth]?.body as Body)(), {
      MODEL_SWITCHES: set,
    })
    const failed = await told.ask(asks)
    t.match(
      failed,
      { status: 'failed', error: { message: /answered 4|answered 5/ } },
      'what the operator has set stays',
    )
    t.ok(told.asked.every(({ body }) => isRefused(body as Body)))
  })
}

t.test('several refusals, one after another', async t => {
  const { ask, asked } = await replayTasks(t, (_, nth) => {
    const body = (asked[nth]?.body ?? {}) as Body
    if ('stream_options' in body) return refuses('unknown field stream_options')
    return 'max_tokens' in body ? refuses('use max_completion_tokens') : says('done')
  })
  const task = await ask({ agent_config: { max_response_length: 10 } })
  t.same([task.status, asked.length], ['completed', 3])
  t.match(asked.at(-1)?.body, { max_completion_tokens: 10 })
})

t.test('an endpoint that refuses everything is not asked for ever', async t => {
  const { ask, asked } = await replayTasks(t, () =>
    refuses('stream_options max_completion_tokens parallel_tool_calls json_schema developer'),
  )
  t.equal((await ask({ agent_config: { max_response_length: 10 } })).status, 'failed')
  t.ok(asked.length < 12, `asked ${asked.length} times`)
})

t.test('refusals of other things teach nothing', async t => {
  for (const status of [401, 403, 404, 400]) {
    const { ask, asked } = await replayTasks(t, () => refuses('no such model', status))
    t.equal((await ask()).status, 'failed')
    t.equal(asked.length, 1)
  }
})

t.test('null in inference_args unsets a field', async t => {
  const { ask, asked } = await replayTasks(t, () => says('{"ok":true}'))
  const bodyOf = async (more: object) => {
    await ask(more)
    return asked.at(-1)?.body ?? {}
  }
  t.notOk('stream_options' in (await bodyOf({ inference_args: { stream_options: null } })))
  t.notOk(
    'max_tokens' in
      (await bodyOf({ agent_config: { max_response_length: 5 }, inference_args: { max_tokens: null } })),
  )
  t.notOk(
    'response_format' in
      (await bodyOf({ structured_output: schema, inference_args: { response_format: null } })),
  )
  t.notOk(
    'temperature' in
      (await bodyOf({
        agent_config: { inference_args: { temperature: 1 } },
        inference_args: { temperature: null },
      })),
  )
  t.match(await bodyOf({ inference_args: { seed: 7, logit_bias: { 1: null } } }), {
    seed: 7,
    logit_bias: { 1: null },
  })
})

t.test('what does not help a request changes nothing for others', async t => {
  const type = (nth: number) =>
    (asked[nth]?.body as { response_format?: { type: string } })?.response_format?.type
  const { ask, asked } = await replayTasks(t, (_, nth) =>
    type(nth) === 'odd' ? refuses('response_format.type: odd is not known') : says('{"ok":true}'),
  )
  const odd = { structured_output: schema, inference_args: { response_format: { type: 'odd' } } }
  t.match(await ask(odd), { status: 'failed', error: { message: /odd is not known/ } })
  const before = asked.length
  t.equal((await ask({ structured_output: schema })).status, 'completed')
  t.equal(type(before), 'json_schema')
})
