// A conversation that is too long for the model: its older part gives way to a summary, in the log and for all to see.
import t from 'tap'
import { holds, resultsOf, textsOf } from '../http/agent-tasks.ts'
import type { Answer } from '../support/fake-model.ts'
import { bytesOf, type Entry, modelTasks } from './model-tasks.ts'

const long = (name: string) => `${name} ${'word '.repeat(200)}`
const history = ['first', 'second', 'third', 'fourth'].map((name, n) => ({
  type: 'message',
  id: `msg_${name}`,
  role: n % 2 === 0 ? 'user' : 'assistant',
  message_content: long(name),
}))
const config = { max_model_length: 2000, compress_threshold_token_ratio: 0.25 }
const summed: Answer = { text: 'They said four things.', usage: { prompt_tokens: 900, completion_tokens: 6 } }
const last = (text: string): Answer => ({ text, usage: { prompt_tokens: 20, completion_tokens: 2 } })
const contents = (entry: Entry | undefined) => entry?.input_messages.map(({ content }) => String(content))

t.test('what is older is summed up, what is newest stays, and frames say so', async t => {
  const tasks = await modelTasks(t, [summed, last('Right.')])
  const { asked, ask, entries, frames } = tasks
  const task = await ask({
    history_messages: history,
    agent_config: { ...config, compress_model: 'small', compress_prompt: 'Sum it up.' },
    user_message_content: 'and so?',
    include_compress_model_rollout: true,
    return_rollout: true,
  })
  t.equal(task.status, 'completed')
  t.match(asked[0]?.request, { model: 'small', messages: [{ role: 'system', content: 'Sum it up.' }, {}] })
  const [summary, answer] = await entries(task.id)
  t.match([summary?.is_compress, answer?.is_compress], [true, false])
  t.match(contents(summary)?.[1], /first.*second.*third/s)
  t.notMatch(contents(summary)?.[1], /and so/)
  t.match(contents(answer)?.[0], /They said four things/)
  t.equal(contents(answer)?.at(-1), 'and so?', 'what the user said is there word for word')
  t.notMatch(contents(answer)?.join(), /first/)
  for (const [n, { body }] of asked.entries()) {
    t.equal(bytesOf([summary, answer][n] as Entry), body, `call ${n + 1} to the byte`)
  }
  t.same(task.usage, { input_tokens: 920, output_tokens: 8, total_tokens: 928 })
  const told = (await frames(task.id)).filter(({ type }) => type.startsWith('task.context_compression'))
  t.match(told, [
    { type: 'task.context_compression.created', agent_step: 1 },
    { type: 'task.context_compression.in_progress', agent_step: 1 },
    { type: 'task.context_compression.completed', agent_step: 1, usage: { total_tokens: 906 } },
  ])
  t.equal(new Set(told.map(({ compression_id }) => compression_id)).size, 1)
  t.equal(task.rollouts?.length, 2)
  await holds(t, tasks, task.id)
})

t.test('the entry of a summary is only for those who ask for it', async t => {
  const { ask, entries, frames } = await modelTasks(t, [summed, last('Right.')])
  const task = await ask({ history_messages: history, agent_config: config, return_rollout: true })
  t.equal(task.rollouts?.length, 1)
  t.equal((await entries(task.id)).length, 1)
  t.equal((await frames(task.id)).filter(({ type }) => type === 'task.rollout').length, 1)
})

t.test('no call is parted from its result, and a summary may be summed up again', async t => {
  const big = { name: 'run_javascript', arguments: { code: `"${'x'.repeat(1200)}"` } }
  const { ask, asked, entries } = await modelTasks(t, [
    { tool_calls: [big, big], usage: false },
    { when: 'assistant calls run_javascript', text: 'a summary', usage: false },
    { tool_calls: [big], usage: false },
    { tool_calls: [big], usage: false },
    last('done'),
  ])
  const task = await ask({
    history_messages: history.slice(0, 2),
    agent_config: { ...config, max_model_length: 4000 },
    include_compress_model_rollout: true,
  })
  t.equal(task.status, 'completed', JSON.stringify(task.error))
  t.same(textsOf(task), ['done'])
  t.equal(resultsOf(task).length, 4)
  const all = await entries(task.id)
  t.ok(all.filter(({ is_compress }) => is_compress).length > 1)
  for (const { request } of asked) {
    const messages = (request?.messages ?? []) as {
      role: string
      tool_calls?: { id: string }[]
      tool_call_id?: string
    }[]
    const made = messages.flatMap(({ tool_calls }) => tool_calls?.map(({ id }) => id) ?? [])
    const answered = messages.flatMap(({ tool_call_id }) => tool_call_id ?? [])
    t.same(answered, made, 'each call has its result')
  }
})

t.test('what fits is left alone, and so is what was not asked to be short', async t => {
  const { ask, asked } = await modelTasks(t, [last('a'), last('b')])
  await ask({ history_messages: history, agent_config: { max_model_length: 100_000 } })
  await ask({ history_messages: history })
  t.equal(asked.length, 2)
})

t.test('a summary that cannot be had fails the task with what the provider said', async t => {
  const { ask } = await modelTasks(t, [{ error: { status: 400, message: 'no such model: small' } }])
  const task = await ask({ history_messages: history, agent_config: { ...config, compress_model: 'small' } })
  t.match(task, { status: 'failed', error: { code: -32000, message: /no such model: small/ } })
})

t.test('a reward stands at the last entry that is shown, also when a summary comes after it', async t => {
  const big = { name: 'run_javascript', arguments: { code: `"${'x'.repeat(1200)}"` } }
  const { ask, act, entries } = await modelTasks(t, [
    { tool_calls: [big, big], usage: false },
    summed,
    { error: { status: 400, message: 'no more credit' } },
  ])
  const task = await ask({
    history_messages: history.slice(0, 2),
    agent_config: { ...config, max_model_length: 4000 },
  })
  t.equal(task.status, 'failed')
  t.equal((await act(task.id, 'reward', { value: -1 })).status, 200)
  const shown = (await entries(task.id)).map(({ is_compress, reward }) => ({ is_compress, reward }))
  t.same(shown, [{ is_compress: false, reward: -1 }])
})
