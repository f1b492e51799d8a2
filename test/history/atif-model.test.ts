// A step with a model as a step of an ATIF trajectory: its call, its tokens, and what a summary leaves.
import t from 'tap'
import type { StepPart } from '../../src/contract/agent.ts'
import { admin, quiet } from '../support/system.ts'
import { clientTool } from '../support/tools.ts'
import { documentOf, outline, stepWith, turnsOf } from './atif-told.ts'

const request = (model: string) => ({ model, digest: `digest of ${model}` })
const says = (text: string, logprobs: number[] = []): StepPart => ({
  say: 'delta',
  item: 'message',
  part: 'output_text',
  text,
  ...(logprobs.length === 0 ? {} : { logprobs: logprobs.map(logprob => ({ token: 'x', logprob })) }),
})

t.test('a step with a model says what its call was: model, usage, tokens, ids', async t => {
  const offers = (...names: string[]): StepPart => ({
    say: 'tools',
    tools: names.map(name => clientTool(name)),
  })
  const calling = { say: 'call' as const, name: 'count', arguments: '{}' }
  const { document } = await turnsOf(
    t,
    [
      () => ({
        parts: [offers('count', 'gone'), says('I ', [-0.1, -0.2]), says('count', [-0.3]), calling],
        end: {
          end: 'continue',
          usage: {
            input_tokens: 3,
            output_tokens: 3,
            total_tokens: 6,
            cached_tokens: 2,
            reasoning_tokens: 1,
          },
          call: {
            request: request('m1'),
            response: {
              id: 'chatcmpl-1',
              model: 'm1-2026',
              system_fingerprint: 'fp',
              finish_reason: 'tool_calls',
              call_ids: ['call_theirs'],
              prompt_token_ids: [1, 2, 3],
              completion_token_ids: [4, 5, 6],
            },
          },
        },
      }),
      () => ({
        parts: [offers('count', 'new'), says('done', [-0.5])],
        end: {
          end: 'answer',
          usage: { input_tokens: 8, output_tokens: 2, total_tokens: 10 },
          call: {
            request: request('m2'),
            response: { prompt_token_ids: [1, 2, 3, 4, 5, 6, 7, 8], completion_token_ids: [9, 10] },
          },
        },
      }),
    ],
    { inference_args: { reasoning_effort: 'low', temperature: 1 } },
  )
  t.match(document.agent, { model_name: 'm1', extra: { inference_args: { temperature: 1 } } })
  t.same(
    document.agent.tool_definitions?.map(one => (one as ReturnType<typeof clientTool>).function.name),
    ['count', 'gone', 'new'],
    'all that was ever offered',
  )
  const [, first, second] = document.steps
  t.match(first, {
    source: 'agent',
    message: 'I count',
    model_name: 'm1-2026',
    reasoning_effort: 'low',
    llm_call_count: 1,
    extra: {
      agent_step: 1,
      request_digest: 'digest of m1',
      response_id: 'chatcmpl-1',
      system_fingerprint: 'fp',
      finish_reason: 'tool_calls',
    },
    tool_calls: [{ function_name: 'count', extra: { provider_call_id: 'call_theirs' } }],
  })
  t.same(first?.metrics, {
    prompt_tokens: 3,
    completion_tokens: 3,
    cached_tokens: 2,
    prompt_token_ids: [1, 2, 3],
    completion_token_ids: [4, 5, 6],
    logprobs: [-0.1, -0.2, -0.3],
    extra: { reasoning_tokens: 1 },
  })
  t.equal(second?.model_name, 'm2', 'what was asked for, where the endpoint does not say')
  t.same(second?.metrics, {
    prompt_tokens: 8,
    completion_tokens: 2,
    prompt_token_ids: [1, 2, 3, 4, 5, 6, 7, 8],
    completion_token_ids: [9, 10],
    extra: { logprobs: [-0.5] },
  })
  t.same(document.final_metrics, {
    total_prompt_tokens: 11,
    total_completion_tokens: 5,
    total_cached_tokens: 2,
    total_steps: 3,
  })
})

t.test('an answer that would not do is a step, and so is what the system said of it', async t => {
  const { document } = await turnsOf(t, [
    () => ({ parts: [says('maybe')], end: { end: 'correct', message: 'Answer again.' } }),
    () => ({ parts: [says('yes')], end: { end: 'answer' } }),
  ])
  t.same(outline(document), ['user hello', 'agent maybe', 'user Answer again.', 'agent yes'])
  t.match(document.steps[2]?.extra, { by: 'system' })
})

t.test('a summary replaces what was seen; what is seen beside it is repeated as copied', async t => {
  let gone: string[] = []
  const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 }
  const { system, taskId } = await turnsOf(
    t,
    [
      () => ({ parts: [says('first')], end: { end: 'continue', usage } }),
      () => ({ parts: [says('second')], end: { end: 'pause', reason: 'tea' } }),
      () => ({
        parts: [{ say: 'compressing' }],
        end: {
          end: 'continue',
          usage,
          compressed: { summary: 'it was so', items: gone },
          call: { request: request('small'), response: { model: 'small-1', finish_reason: 'stop' } },
        },
      }),
      () => ({ parts: [says('third')], end: { end: 'answer' } }),
    ],
    { agent_config: { developer_prompt: 'Be kind.' } },
  )
  gone = [system.get(taskId).output[0].id]
  await system.commands.resume(admin, taskId, 'req')
  await quiet(system)
  const document = await documentOf(t, system, taskId)
  t.same(outline(document), [
    'system Be kind.',
    'user hello',
    'agent first',
    'agent second',
    'system What came before was summed up. = it was so',
    '(system Be kind.)',
    '(user hello)',
    '(agent second)',
    'agent third',
  ])
  t.match(document.steps[4], {
    llm_call_count: 1,
    metrics: undefined,
    extra: {
      context_management: { type: 'compaction', boundary: 'replace' },
      agent_step: 3,
      model_name: 'small-1',
      metrics: { prompt_tokens: 10, completion_tokens: 5 },
    },
  })
  t.match(document.final_metrics, { total_prompt_tokens: 20, total_completion_tokens: 10, total_steps: 9 })
})

t.test('arguments that are no object, or too deep to be written, stand as they were said', async t => {
  const deep = `{"a":${'['.repeat(64)}${']'.repeat(64)}}`
  const { document } = await turnsOf(t, [
    () => ({
      parts: ['[1]', '{"a":', deep, ''].map(said => ({ say: 'call', name: 'count', arguments: said })),
      end: { end: 'continue' },
    }),
  ])
  const { tool_calls = [] } = stepWith(document, 'count') ?? {}
  t.same(
    tool_calls.map(call => [call.arguments, call.extra?.arguments]),
    [
      [{}, '[1]'],
      [{}, '{"a":'],
      [{}, deep],
      [{}, undefined],
    ],
  )
})
