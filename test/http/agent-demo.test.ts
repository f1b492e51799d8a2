// The demo agent as a client meets it: without a model it still reasons, calls a tool, and answers.
import t from 'tap'
import { serveHere } from '../support/server.ts'
import {
  type AgentTask,
  callId,
  callsOf,
  holds,
  outline,
  resultsOf,
  tasksOf,
  textsOf,
  tool,
} from './agent-tasks.ts'

t.jobs = 5 // they mostly wait: it speaks slowly
const { api } = await serveHere(t)
const tasks = tasksOf(api)
const { post, stream, answer, becomes } = tasks
const demo = async (user_message_content: unknown, more: object = {}): Promise<AgentTask> => {
  const { status, body, text } = await post({ user_message_content, client_id: 'demo', ...more })
  if (status !== 200) throw new Error(text)
  return body.result
}

t.test('arithmetic in the text is given to the calculator, and the result is said', async t => {
  const told = await stream({ user_message_content: 'What is (2 + 3) * 4?', client_id: 'demo' })
  const text = await told.rest()
  const { task } = await holds(t, tasks, told.response.headers.get('x-task-id') ?? '', text)
  t.same(outline(task), [
    'reasoning completed',
    'tool_call calculator completed',
    'tool_result completed',
    'message completed',
  ])
  t.same(JSON.parse(String(callsOf(task)[0]?.arguments)), { expression: '(2 + 3) * 4' })
  t.match(resultsOf(task), [{ message_content: '20' }])
  t.match(textsOf(task)[0], /\b20\b/)
})

t.test('a result that is a sentence gets no second full stop', async t => {
  const said = async (result: string) => {
    const waiting = await demo('look', { client_tools: [tool('look')] })
    const call_id = callId(waiting)
    await answer(waiting.id, { call_id, message_content: result })
    return textsOf(await becomes(waiting.id, 'completed'))[0]
  }
  t.match(await said('White is to move.'), /^The answer is White is to move\. I am the demo agent/)
  t.match(await said('20'), /^The answer is 20\. I am the demo agent/)
})

t.test('content items are a text, too', async t => {
  const task = await demo([{ type: 'input_text', text: 'compute 6*7' }])
  t.match(resultsOf(task), [{ message_content: '42' }])
})

t.test('a text that only looks a little like arithmetic calls nothing', async t => {
  const texts = [
    'hello',
    'see you on 2026-01-02',
    'call 555',
    'version 1.2.3',
    '',
    'a+b',
    '- one\n- two',
    '…',
  ]
  await Promise.all(
    texts.map(async text => {
      const task = await demo(text)
      t.equal(task.status, 'completed', text)
      t.same(callsOf(task), [], text)
      t.equal(textsOf(task).length, 1)
    }),
  )
})

t.test('a calculation that is impossible is answered, too', async t => {
  const task = await demo('1/0')
  t.equal(task.status, 'completed')
  t.equal(textsOf(task).length, 1)
})

t.test('a tool that the text names is called', async t => {
  const now = await demo('please use current_time')
  t.same(
    callsOf(now).map(({ name }) => name),
    ['current_time'],
  )
  t.match(resultsOf(now), [{ status: 'completed' }])
  const code = await demo('run_javascript `[1, 2, 3].map(n => n * 2).join()`')
  t.match(callsOf(code), [{ name: 'run_javascript' }])
  t.match(textsOf(code)[0], /2,4,6/)
})

t.test('a tool of the client that the text names is asked for', async t => {
  const task = await demo('use weather now', { client_tools: [tool('weather')] })
  t.match(task, { status: 'input-required', input_required: { name: 'weather' } })
  await answer(task.id, { call_id: callId(task), message_content: 'sunny' })
  const done = await becomes(task.id, 'completed')
  t.match(textsOf(done)[0], /sunny/)
  await holds(t, tasks, task.id)
})

t.test('what is not allowed is not called', async t => {
  const lists = [
    { allowed_tools: [] },
    { disallowed_tools: ['calculator'] },
    { agent_config: { agent_id: 'demo', builtin_tools: [] } },
  ]
  await Promise.all(
    lists.map(async more => {
      const task = await demo('6*7', more)
      t.same(outline(task), ['reasoning completed', 'message completed'], JSON.stringify(more))
    }),
  )
})

t.test('with a stop tool the result is the end', async t => {
  const task = await demo('6*7', { stop_tools: ['calculator'] })
  t.same(outline(task), ['reasoning completed', 'tool_call calculator completed', 'tool_result completed'])
  t.equal(task.status, 'completed')
})

t.test('it is the default, says so, and says how to have a model', async t => {
  const { body } = await post({ user_message_content: 'hello' })
  const [said] = textsOf(body.result)
  t.match(said, /demo/)
  t.match(said, /hello/)
  t.match(said, /MODEL_BASE_URL/, 'how to configure a model')
})
