// The rollout of a task with a model says what was sent, to the byte, and all that came back.
import { rmSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { callsOf, holds, textsOf, tool } from '../http/agent-tasks.ts'
import type { Answer } from '../support/fake-model.ts'
import { apiOf, serveHere } from '../support/server.ts'
import { bytesOf, digestOf, type Entry, modelTasks } from './model-tasks.ts'

const sum = (expression: string) => ({ name: 'calculator', arguments: { expression } })

t.test('every call of a long task is told to the byte, and again after the read models are gone', async t => {
  const dataDir = t.testdir()
  const answers: Answer[] = [
    { reasoning: 'Hm.', text: 'Let me see.', tool_calls: [sum('6*7'), sum('1/0')] },
    { tool_calls: [{ name: 'ask', arguments: { question: 'Ünïcode 🦊?' } }] },
    { text: 'It is 42.' },
    { text: 'You are welcome.' },
  ]
  const { ask, asked, answer, becomes, entries, server } = await modelTasks(t, answers, {
    DATA_DIR: dataDir,
  })
  const request = {
    session_id: 's1',
    client_tools: [tool('ask', { type: 'object', properties: { question: { type: 'string' } } })],
    agent_config: { developer_prompt: 'Be exact.', max_response_length: 500, inference_args: { seed: 7 } },
    inference_args: { temperature: 0.25, stop: ['END'] },
    history_messages: [{ type: 'message', role: 'assistant', message_content: 'earlier' }],
    user_message_content: [
      { type: 'input_text', text: 'what is it?' },
      { type: 'input_image', image_url: { url: 'https://example.com/a.png' } },
    ],
  }
  const waiting = await ask(request)
  t.equal(waiting.status, 'input-required')
  await answer(waiting.id, { call_id: waiting.input_required?.call_id, message_content: 'yes' })
  const task = await becomes(waiting.id, 'completed')
  const next = await ask({ session_id: 's1', user_message_content: 'thanks' })
  const told = [...(await entries(task.id)), ...(await entries(next.id))]
  t.equal(told.length, asked.length)
  for (const [n, { body }] of asked.entries()) {
    const entry = told[n] as Entry
    t.equal(bytesOf(entry), body, `call ${n + 1} as it was received`)
    t.equal(JSON.stringify(entry.input_messages), JSON.stringify(JSON.parse(body).messages))
    t.equal(entry.request_digest, digestOf(body))
  }
  t.match(told[0]?.output_messages, [
    { role: 'assistant', content: 'Let me see.', reasoning_content: 'Hm.', tool_calls: [{}, {}] },
  ])
  const theirs = Object.entries((told[0]?.provider_call_ids ?? {}) as Record<string, string>)
  const said = theirs.reduce(
    (text, [ours, their]) => text.replaceAll(ours, their),
    JSON.stringify(told[0]?.output_messages[0]),
  )
  t.same(
    told[1]?.input_messages.slice(0, -2).at(-1),
    JSON.parse(said),
    'what was said is what is sent next, with the ids of the endpoint',
  )
  const before = JSON.stringify([await entries(task.id), await entries(next.id)])
  await server.stop()
  rmSync(path.join(dataDir, 'read.db'))
  const again = await serveHere(t, { DATA_DIR: dataDir })
  const list = async (id: string) =>
    ((await (await apiOf(again.url)('GET', `/tasks/${id}/rollouts`)).json()) as { result: Entry[] }).result
  t.equal(JSON.stringify([await list(task.id), await list(next.id)]), before)
})

t.test('what the endpoint tells of its answer is kept', async t => {
  const { ask, entries } = await modelTasks(t, [
    {
      text: 'one two',
      tool_calls: [sum('1+1'), { name: 'current_time', arguments: '' }],
      model: 'fake-1-2026',
      system_fingerprint: 'fp_1',
      logprobs: true,
      token_ids: true,
    },
    { text: 'three', token_ids: true, logprobs: true },
  ])
  const task = await ask()
  const [first, second] = await entries(task.id)
  t.match(first, { model: 'fake-1-2026', system_fingerprint: 'fp_1', finish_reason: 'tool_calls' })
  t.match(first?.response_id, /^chatcmpl-fake/)
  const ours = callsOf(task).map(({ call_id }) => call_id)
  t.same(Object.keys(first?.provider_call_ids as object), ours)
  t.same(Object.values(first?.provider_call_ids as object), ['fake_call_1', 'fake_call_2'])
  const [asked1, said1, asked2] = [
    first?.prompt_token_ids,
    first?.completion_token_ids,
    second?.prompt_token_ids,
  ]
  t.same([asked1, said1, asked2].map(Array.isArray), [true, true, true])
  const probs = second?.logprobs as { token: string; bytes: number[]; top_logprobs: unknown[] }[]
  t.equal(probs.map(({ token }) => token).join(''), 'three')
  const message = task.output.at(-1)?.message_content as { logprobs: unknown[] }[]
  t.same(message[0]?.logprobs, probs, 'they stand in the text of the item')
})

t.test('a frame is the same entry, and every law of a task holds', async t => {
  const tasks = await modelTasks(t, [
    { reasoning: 'Hm.', tool_calls: [sum('2*3')] },
    { text: 'six', logprobs: true },
  ])
  const told = await tasks.stream({ return_rollout: true, task_id: 'told' })
  const text = await told.rest()
  const { task } = await holds(t, tasks, 'told', text)
  t.same(textsOf(task), ['six'])
  const entries = await tasks.entries('told')
  t.same(
    told.frames().filter(({ type }) => type === 'task.rollout'),
    entries,
  )
  t.same((await tasks.get('told')).rollouts, entries)
})
