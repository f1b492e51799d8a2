// A server that is killed in the middle of a stream: OpenAI's client takes the stream up again, without a gap or a repeat.
import type OpenAI from 'openai'
import t from 'tap'
import { spawnServer } from '../../support/server.ts'
import { all, ask, clientOf, scriptedModel, taskOf } from './clients.ts'

type Event = OpenAI.Responses.ResponseStreamEvent
const numbers = (events: Event[]) => events.map(event => event.sequence_number)
const textIn = (events: Event[]) =>
  events.flatMap(event => (event.type === 'response.output_text.done' ? [event.text] : [])).at(-1)

t.test('a stream goes on after kill -9, and a second one after an answer', async t => {
  const model = await scriptedModel(t)
  const dataDir = t.testdir()
  const env = { ...model.env, ALLOW_PRIVATE_URLS: '1' }
  await model.script([
    { tool_calls: [{ name: 'ask', arguments: {} }] },
    { text: 'one two three four five six seven eight nine ten', token_ms: 60 },
    { text: 'one two three four five six seven eight nine ten' },
  ])
  const first = await spawnServer(t, dataDir, env)
  const asked = await clientOf(first.url).responses.create({ model: 'model', input: 'Count', tools: [ask] })
  const call = asked.output.at(-1) as OpenAI.Responses.ResponseFunctionToolCall
  await first.end('SIGKILL')

  const second = await spawnServer(t, dataDir, env)
  const input = [{ type: 'function_call_output' as const, call_id: call.call_id, output: 'yes' }]
  const answer = { model: 'model', previous_response_id: asked.id, input }
  const events: Event[] = []
  let id = ''
  const stream = await clientOf(second.url).responses.create({ ...answer, stream: true })
  try {
    for await (const event of stream) {
      events.push(event)
      if (event.type === 'response.created') id = event.response.id
      if (event.type === 'response.output_text.delta') second.signal('SIGKILL')
    }
    t.fail('the stream came to its end')
  } catch {
    t.not(id, asked.id)
  }
  await second.exited

  const third = await spawnServer(t, dataDir, env)
  const client = clientOf(third.url)
  const after = events.at(-1)?.sequence_number ?? -1
  const rest = await all(await client.responses.retrieve(id, { stream: true, starting_after: after }))
  const whole = [...events, ...rest]
  t.same(
    numbers(whole),
    whole.map((_, n) => n),
  )
  t.equal(rest.at(-1)?.type, 'response.completed')
  t.equal(textIn(whole), 'one two three four five six seven eight nine ten')
  const read = await all(await client.responses.retrieve(id, { stream: true }))
  t.same(read, whole, 'and each reading is the same')
  t.equal((await client.responses.retrieve(id)).output_text, textIn(whole), 'nothing is said twice')
  t.same((await client.responses.create(answer)).id, id, 'the same answer again is the same response')
  const task = await taskOf(third.api, asked.id.slice('resp_'.length))
  t.equal(task.status, 'completed')
})
