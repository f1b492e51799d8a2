// Tasks whose agent is a model: what it was asked and what it answered, its troubles, and summaries of what is too long.
import type { Answer } from '../../../src/fake-model/answer.ts'
import { callId, tool } from '../../http/agent-tasks.ts'
import type { Stage } from './stage.ts'

const long = (name: string) => `${name} ${'word '.repeat(200)}`
const tooLong = ['first', 'second', 'third', 'fourth'].map((name, n) => ({
  type: 'message',
  id: `msg_${name}`,
  role: n % 2 === 0 ? 'user' : 'assistant',
  message_content: long(name),
}))
const calls = (...tool_calls: NonNullable<Answer['tool_calls']>): Answer => ({ tool_calls, usage: false })
const structured_output = {
  type: 'object',
  properties: { ok: { type: 'boolean' } },
  required: ['ok'],
  additionalProperties: false,
}

const cited = { type: 'url_citation', url_citation: { url: 'https://example.com/a', title: 'A page' } }
/** An answer that names a source. */
const sourced = [
  { choices: [{ index: 0, delta: { role: 'assistant', content: 'It is so.', annotations: [cited] } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
]

/** What the model answers, in the order in which `playModels` asks. */
export const modelAnswers: Answer[] = [
  {
    reasoning: 'Hm.',
    text: 'Let me see.',
    tool_calls: [
      { name: 'calculator', arguments: { expression: '6*7' } },
      { name: 'current_time', arguments: '' },
    ],
    model: 'fake-1-2026',
    system_fingerprint: 'fp_1',
    logprobs: true,
    token_ids: true,
  },
  { text: 'It is 42.', logprobs: true, token_ids: true },
  { text: 'You are welcome.', usage: { prompt_tokens: 7, completion_tokens: 3 } },
  { refusal: 'I will not.' },
  { text: 'They said four things.', usage: { prompt_tokens: 900, completion_tokens: 6 } },
  { text: 'Right.', usage: { prompt_tokens: 20, completion_tokens: 2 } },
  { text: 'no JSON at all' },
  { text: '{"ok":true}' },
  { text: 'half of', finish_reason: null, cut: true },
  { text: 'the whole' },
  calls({ name: 'ask', arguments: { question: 'Ünïcode 🦊?' } }),
  { text: 'So it is.' },
  calls({ name: 'agent_echo', arguments: { input: 'say this' } }),
  { text: 'It said so.' },
  calls({ name: 'tools__learn', arguments: { name: 'dance' } }),
  calls({ name: 'tools__dance', arguments: {} }),
  { text: 'I have learnt to dance.' },
  { text: 'cut off for', finish_reason: 'length' },
  { error: { status: 400, message: 'no such model' } },
  { error: { status: 400, message: 'response_format is not supported by this model' } },
  { text: '{"ok":false}' },
  {
    reasoning: 'Hm.',
    ...calls({ name: 'write_file', arguments: '{"path":"a.txt","con' }),
    finish_reason: 'length',
  },
  { text: 'I say less.' },
  { chunks: sourced },
  { text: 'as far as', finish_reason: 'length' },
  { text: 'and so on' },
]

export const playModels = async ({ post, answer, becomes }: Stage): Promise<void> => {
  const first = await post({
    session_id: 'talk',
    return_rollout: true,
    agent_config: { developer_prompt: 'Be exact.', max_response_length: 500, inference_args: { seed: 7 } },
    inference_args: { temperature: 0.25, stop: ['END'] },
    user_message_content: [
      { type: 'input_text', text: 'what is it?' },
      { type: 'input_image', image_url: { url: 'https://example.com/a.png' } },
    ],
  })
  await post({ session_id: 'talk', user_message_content: 'thanks', previous_task_id: first.body.result.id })
  await post({ user_message_content: 'do it' })
  await post({
    history_messages: tooLong,
    agent_config: {
      max_model_length: 2000,
      compress_threshold_token_ratio: 0.25,
      compress_model: 'small',
      compress_prompt: 'Sum it up.',
    },
    user_message_content: 'and so?',
    include_compress_model_rollout: true,
    return_rollout: true,
  })
  await post({ structured_output, user_message_content: 'is it?' })
  await post({ user_message_content: 'break off' })
  const asking = await post({ user_message_content: 'ask me', client_tools: [tool('ask')] })
  const { id } = asking.body.result
  await answer(id, { call_id: callId(asking.body.result), message_content: 'yes' })
  await becomes(id, 'completed')
  await post({
    user_message_content: 'delegate',
    allowed_subagents: ['echo'],
    include_subagent_rollout: true,
    return_rollout: true,
  })
  await post({ user_message_content: 'learn', agent_config: { tool_mcp_config: { tools: {}, odd: {} } } })
  await post({ user_message_content: 'talk for long' })
  await post({ user_message_content: 'fail' })
  await post({
    structured_output,
    user_message_content: 'in words',
    agent_config: { developer_prompt: 'Be brief.' },
  })
  await post({ user_message_content: 'write it' })
  await post({ user_message_content: 'who says so?' })
  await post({
    session_id: 'brought',
    return_rollout: true,
    history_messages: [
      {
        type: 'tool_result',
        call_id: 'call_lost',
        message_content: 'of a call that is not here',
        block_list: [],
      },
      { type: 'tool_call', call_id: 'call_late', name: 'look', arguments: '{}' },
      { type: 'message', role: 'user', message_content: '' },
      { type: 'message', role: 'user', message_content: ['two', { type: 'text', text: 'parts' }] },
      { type: 'tool_result', call_id: 'call_late', message_content: 'late', block_list: [] },
      { type: 'reasoning', id: 'rs_first', summary: [{ type: 'summary_text', text: 'So.' }] },
      { type: 'message', role: 'assistant', message_content: 'yes' },
    ],
    thought_messages: [
      {
        type: 'reasoning',
        id: 'rs_then',
        summary: [],
        content: [{ type: 'reasoning_text', text: 'Go on.' }],
      },
    ],
    user_message_content: 'talk',
  })
  await post({ session_id: 'brought', user_message_content: 'go on', return_rollout: true })
}
