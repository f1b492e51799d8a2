// Tasks whose model stands behind a real provider package, against strict imitations of vendors.
import { createHash } from 'node:crypto'
import t, { type Test } from 'tap'
import type { Answer } from '../../../src/fake-model/answer.ts'
import type { Entry } from '../../agents/model-tasks.ts'
import { callsOf, tasksOf, textsOf } from '../../http/agent-tasks.ts'
import { apiOf, runReprise, serveHere } from '../../support/server.ts'
import type { ImitationName } from '../imitations/all.ts'
import { image } from '../imitations/good.ts'
import { key } from '../imitations/imitation.ts'
import { serveImitation } from '../imitations/serve.ts'

const sum = (expression: string) => ({ name: 'calculator', arguments: { expression } })
const digestOf = (text: string) => createHash('sha256').update(text).digest('base64url')
/** The call options of an entry, as they were written. */
const optionsOf = (entry: Entry): string => {
  const { request, input_messages: prompt, tools } = entry
  return JSON.stringify({ ...request, prompt, ...(tools.length === 0 ? {} : { tools }) })
}

const served = async (t: Test, name: ImitationName, script: Answer[], env: Record<string, string> = {}) => {
  const endpoint = await serveImitation(t, name, script)
  const settings = {
    MODEL_PROVIDER: '@ai-sdk/openai-compatible',
    MODEL_BASE_URL: endpoint.url,
    MODEL: endpoint.model,
    MODEL_API_KEY: key,
    ...env,
  }
  const server = await serveHere(t, settings)
  const tasks = tasksOf(server.api)
  const ask = async (more: object) => {
    const { status, body, text } = await tasks.post(more)
    if (status !== 200) throw new Error(`${status} ${text}`)
    return body.result as Awaited<ReturnType<typeof tasks.get>>
  }
  const entries = async (id: string) =>
    ((await (await server.api('GET', `/tasks/${id}/rollouts`)).json()) as { result: Entry[] }).result
  return { endpoint, server, settings, ...tasks, ask, entries }
}

/** A conversation with everything in it. */
const script: Answer[] = [
  {
    when: 'and what is',
    reasoning: 'I add, twice.',
    text: 'Let me see.',
    tool_calls: [sum('1+1'), sum('2+2')],
  },
  { when: '4', text: 'Two and four.' },
  { when: 'thanks', text: 'You are welcome.' },
]
const asked = [
  { type: 'input_text', text: 'see this, and what is 1+1 and 2+2?' },
  { type: 'input_image', image_url: { url: image } },
]

for (const name of ['vllm', 'openai', 'mistral', 'gemini', 'llama.cpp'] as const) {
  t.test(`a task with parallel tools works with ${name}, and its rollout has the bytes`, async t => {
    const { endpoint, ask, entries, server } = await served(t, name, script)
    const task = await ask({ session_id: 's1', user_message_content: asked })
    t.equal(task.status, 'completed', JSON.stringify(task.error))
    const next = await ask({ session_id: 's1', user_message_content: 'thanks' })
    t.equal(next.status, 'completed', JSON.stringify(next.error))
    t.same(
      callsOf(task).map(call => call.arguments),
      ['{"expression":"1+1"}', '{"expression":"2+2"}'],
    )
    t.match(textsOf(next).at(-1), 'You are welcome.')

    const told = [...(await entries(task.id)), ...(await entries(next.id))]
    t.equal(told.length, 3)
    for (const entry of told) t.equal(digestOf(optionsOf(entry)), entry.request_digest)
    const accepted = endpoint.requests.filter(({ refusal }) => refusal === undefined)
    t.equal(accepted.length, 3)
    const { stdout: stored } = await runReprise(['history', task.id, '--json'], { DATA_DIR: server.dataDir })
    for (const { raw } of accepted.slice(0, 2)) t.match(stored, digestOf(raw), 'the log has what was sent')
    const { data } = (await (await server.api('GET', '/agents')).json()) as { data: { name: string }[] }
    t.match(
      data.find(each => each.name === 'model'),
      { dialect: 'ai-sdk:@ai-sdk/openai-compatible' },
    )
  })
}

t.test('reasoning and signatures go back to the same model, and to no other', async t => {
  const { endpoint, ask } = await served(t, 'gemini', script, { MODEL_SWITCHES: 'calls=signed' })
  await ask({ session_id: 's1', user_message_content: asked })
  const [, second] = endpoint.requests
  t.match(second?.body.messages, [
    {},
    {
      role: 'assistant',
      tool_calls: [{ extra_content: { google: { thought_signature: /^(?!skip).+/ } } }, {}],
    },
    { role: 'tool' },
    { role: 'tool' },
  ])
  t.same(endpoint.refusals, [])

  const vllm = await served(t, 'vllm', script)
  await vllm.ask({ session_id: 's1', user_message_content: asked })
  t.match(vllm.endpoint.requests[1]?.body.messages, [
    {},
    { role: 'assistant', reasoning_content: 'I add, twice.', content: 'Let me see.' },
  ])
})

t.test('structured output and files', async t => {
  const { endpoint, ask } = await served(t, 'openai', [
    { when: 'city', text: '{"city":"Paris"}' },
    { when: 'text', text: 'read' },
  ])
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
  const task = await ask({ user_message_content: 'which city?', structured_output: schema })
  t.match(textsOf(task), ['{"city":"Paris"}'])
  t.match(endpoint.requests.at(-1)?.body, {
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
  })
  const data = Buffer.from('hello').toString('base64')
  const file = { type: 'file', file: { filename: 'a.txt', file_data: data } }
  const pdf = { type: 'file', file: { filename: 'a.pdf', file_data: data } }
  await ask({ user_message_content: ['a text and a PDF', file, pdf] })
  t.match(endpoint.requests.at(-1)?.body.messages, [
    {
      content: [
        { type: 'text', text: 'a text and a PDF' },
        { type: 'text', text: '[file a.txt]\nhello' },
        { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${data}` } },
      ],
    },
  ])
})

t.test('arguments of a request become call options, and other fields those of the provider', async t => {
  const { endpoint, ask, entries } = await served(t, 'vllm', [{ when: 'x', text: 'y' }])
  const inference_args = { temperature: 0.5, top_p: 0.9, stop: 'END', seed: 7, min_p: 0.1, top_k: null }
  const task = await ask({ inference_args, agent_config: { max_response_length: 50 } })
  t.match(endpoint.requests[0]?.body, {
    temperature: 0.5,
    top_p: 0.9,
    stop: ['END'],
    seed: 7,
    min_p: 0.1,
    max_tokens: 50,
    stream_options: { include_usage: true },
  })
  t.match((await entries(task.id))[0]?.request, { topP: 0.9, further: { min_p: 0.1 }, maxOutputTokens: 50 })
})

t.test('a task goes on with another server, and what was given goes back', async t => {
  const dataDir = t.testdir()
  const first = await served(
    t,
    'gemini',
    [
      { when: 'ask me', tool_calls: [{ name: 'ask', arguments: { question: 'sure?' } }] },
      { when: 'yes', text: 'Good.' },
    ],
    { DATA_DIR: dataDir, MODEL_SWITCHES: 'calls=signed' },
  )
  const question = {
    type: 'function',
    function: { name: 'ask', parameters: { type: 'object' }, description: '', strict: false },
  }
  const waiting = await first.ask({ user_message_content: 'ask me', client_tools: [question] })
  t.equal(waiting.status, 'input-required')
  await first.server.stop()
  const again = await serveHere(t, { ...first.settings, DATA_DIR: dataDir, MODEL_SWITCHES: 'calls=signed' })
  const { answer, becomes } = tasksOf(apiOf(again.url))
  await answer(waiting.id, {
    type: 'tool_result',
    call_id: waiting.input_required?.call_id,
    message_content: 'yes',
    block_list: [],
  })
  const task = await becomes(waiting.id, 'completed')
  t.match(textsOf(task).at(-1), 'Good.')
  t.same(first.endpoint.refusals, [], 'the signature came back')
})
