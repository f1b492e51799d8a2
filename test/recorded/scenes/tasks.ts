// Tasks without tools, through all their states; the last of them stay as they are.
import { script } from '../../http/agent-tasks.ts'
import { idsOf, pause, read } from '../../support/http.ts'
import type { Stage } from './stage.ts'

const everyField = {
  user_message_content: [
    { type: 'input_text', text: 'hello, 世界 🙂 \u2028 \u0000 \ud800' },
    'and more',
    { type: 'input_image', image_url: { url: 'https://example.com/a.png', detail: 'low' } },
    { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
    { type: 'file', file: { file_url: 'https://example.com/a.pdf', filename: 'a.pdf', file_data: 'AAAA' } },
  ],
  client_id: 'echo',
  request_id: 'req_mine',
  session_id: 'sess_mine',
  task_id: 'task_mine',
  user_id: 'anna',
  agent_config: {
    agent_id: 'echo',
    name: 'Echo',
    description: 'says it again',
    developer_prompt: 'Be brief.',
    model: 'm',
    max_model_length: 100_000,
    max_response_length: 100,
    compress_model: 'small',
    compress_prompt: 'Sum it up.',
    compress_threshold_token_ratio: 0.5,
    inference_args: { temperature: 0.5 },
    allowed_tools: ['calculator'],
    builtin_tools: ['calculator'],
    builtin_subagents: ['echo'],
    tool_mcp_config: { tools: {} },
    code_interpreter_config: { timeout: 1 },
    code_for_agent: 'pass',
    code_for_interpreter: 'pass',
    script: [],
  },
  allowed_tools: ['calculator'],
  disallowed_tools: ['write_file'],
  allowed_subagents: ['echo'],
  stop_tools: ['calculator'],
  client_tools: [],
  history_messages: [
    { type: 'message', id: 'msg_given', role: 'user', message_content: 'before' },
    { type: 'tool_call', id: 'tc_given', call_id: 'call_given', name: 'look', arguments: '{}' },
    { type: 'tool_result', id: 'tr_given', call_id: 'call_given', message_content: 'seen', block_list: [] },
  ],
  thought_messages: [{ type: 'reasoning', id: 'rs_given', summary: [{ type: 'summary_text', text: 'so' }] }],
  inference_args: { temperature: 0.25, stop: ['END'] },
  workspace_dir: 'deep/work',
  env: { TOKEN: 'secret', OTHER: 'secret, too' },
  log_dir: 'logs/mine',
  rollout_save_dir: 'saved',
  return_rollout: true,
  include_compress_model_rollout: true,
  include_subagent_rollout: true,
  on_disconnect: 'cancel',
  metadata: { mine: { deep: [1, null, 'ü'] } },
  no_such_field: 1,
  nor_this: { x: [] },
}

const steps = [
  { reasoning: 'let me see' },
  { message: 'one two three four five', delta_ms: 60 },
  { message: 'whole' },
  { usage: { input_tokens: 3, output_tokens: 4, total_tokens: 7 } },
  { usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2, note: 'open' } },
  { pause: 'tea' },
  { message: 'after it', delta_ms: 10 },
]

export const playTasks = async ({ begins, becomes, act, post, must, stream }: Stage): Promise<void> => {
  await post(everyField, { 'idempotency-key': 'key-1' })
  await (await stream({ user_message_content: 'streamed', client_id: 'echo' })).rest()

  const whole = await begins({ agent_config: script(...steps), session_id: 's1', return_rollout: true })
  await becomes(whole, 'paused')
  await act(whole, 'resume')
  await becomes(whole, 'completed')
  await post({ session_id: 's1', user_message_content: 'second of its session', client_id: 'echo' })
  await post({ session_id: 's1', user_message_content: 'third of its session', client_id: 'echo' })

  const byHand = await begins({ agent_config: script({ sleep_ms: 300 }, { message: 'after' }) })
  await act(byHand, 'pause')
  await becomes(byHand, 'paused')
  await act(byHand, 'resume')
  await becomes(byHand, 'completed')

  await post({ agent_config: script({ message: 'a' }, { fail: { code: -32000, message: 'it said no' } }) })

  const steered = await begins({ agent_config: script({ sleep_ms: 300 }, { message: 'after' }) })
  await act(steered, 'messages', { content: 'be quick' }, { 'idempotency-key': 'key-2' })
  await act(steered, 'messages', { content: ['and', { type: 'text', text: 'good' }] })
  await becomes(steered, 'completed')
  await act(steered, 'reward', { value: 0.5, name: 'speed', data: { by: 'hand' } })
  await act(steered, 'reward', { value: -1 })

  const gone = await post({ user_message_content: 'forget me', client_id: 'echo' })
  await must('DELETE', `/tasks/${gone.body.result.id}`)
  const early = await begins({ agent_config: script({ sleep_ms: 600_000 }) })
  await must('DELETE', `/tasks/${early}`)

  const canceled = await begins({ agent_config: script({ message: 'one two three', delta_ms: 500 }) })
  await pause(700)
  await act(canceled, 'cancel', { reason: 'enough' })
  const queued = await begins({ session_id: 's2', agent_config: script({ sleep_ms: 700 }) })
  const behind = await begins({ session_id: 's2' })
  const later = await begins({ session_id: 's2', user_message_content: 'my turn', client_id: 'echo' })
  await act(behind, 'cancel')
  await becomes(queued, 'completed')
  await becomes(later, 'completed')
  const resting = await begins({ agent_config: script({ pause: 'tea' }) })
  await becomes(resting, 'paused')
  await act(resting, 'cancel')
}

/** What rests for good: a pause, a wait, a parent whose child is paused, and a task that waits for its turn behind it. */
export const playRest = async ({ begins, becomes, api, hasChild }: Stage): Promise<void> => {
  const paused = await begins({ agent_config: script({ message: 'a' }, { pause: 'tea' }) })
  await becomes(paused, 'paused')
  const below = JSON.stringify([{ message: 'I am below' }, { pause: 'lunch' }])
  const parent = await begins({
    session_id: 'family',
    agent_config: script({ subagent: 'script', input: below }, { message: 'it said $result' }),
  })
  await hasChild(parent)
  const list = await read(api('GET', '/tasks?session_id=family&include_subtasks=true'))
  for (const id of idsOf(list)) if (id !== parent) await becomes(id, 'paused')
  await becomes(await begins({ session_id: 'family', user_message_content: 'my turn never comes' }), 'queued')
}
