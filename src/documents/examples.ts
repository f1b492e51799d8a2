// Examples of requests and answers. A test sends the requests and compares the answers, except for ids and times.
const at = '2026-11-21T09:50:34.205Z'
const about = { session_id: 'sess_1', user_id: 'default' }

const hello = {
  type: 'message',
  id: 'msg_1',
  status: 'completed',
  role: 'assistant',
  message_content: [{ type: 'output_text', text: 'Hello' }],
}
export const echoTask = {
  object: 'task',
  id: 'task_1',
  ...about,
  status: 'completed',
  created_at: 1795254634,
  metadata: { agent: 'echo' },
  output: [hello],
}

const { output: _, ...echoFields } = echoTask
export const echoSummary = {
  ...echoFields,
  question: 'Hello',
  started_at: 1795254634,
  ended_at: 1795254634,
  duration_ms: 4,
}

const call = {
  type: 'tool_call',
  id: 'tc_1',
  status: 'completed',
  call_id: 'call_1',
  name: 'ask_user',
  arguments: '{"question":"Shall I go on?"}',
}
export const waitingTask = {
  object: 'task',
  id: 'task_2',
  ...about,
  status: 'input-required',
  created_at: 1795254634,
  input_required: call,
  metadata: { agent: 'script', expires_at: 1795859435, pending_inputs: [call] },
  output: [call],
}

const say = (summary: string, value: object) => ({
  summary,
  value: { user_message_content: 'Hello', ...value },
})

export const createExamples = {
  echo: say('The agent `echo` repeats the message', { stream: false, client_id: 'echo' }),
  stream: say('The agent `echo`, with a stream of frames', { stream: true, client_id: 'echo' }),
  tools: {
    summary: 'The agent `demo` calls a tool',
    value: { user_message_content: 'What is 6*7?', stream: true, client_id: 'demo' },
  },
  script: say('The agent `script` plays the steps of a script', {
    stream: true,
    agent_config: {
      agent_id: 'script',
      script: [
        { reasoning: 'Let me think.' },
        { message: 'One word at a time.', delta_ms: 200 },
        { tool: 'calculator', arguments: { expression: '6*7' } },
        { message: 'It is $result.' },
      ],
    },
  }),
  client_tool: say('A tool of the client: the task waits for its result', {
    stream: false,
    client_tools: [
      {
        type: 'function',
        function: {
          name: 'ask_user',
          parameters: { type: 'object', properties: { question: { type: 'string' } } },
        },
      },
    ],
    agent_config: {
      agent_id: 'script',
      script: [
        { tool: 'ask_user', arguments: { question: 'Shall I go on?' } },
        { message: 'You said: $result' },
      ],
    },
  }),
  background: say('An answer at once: the task continues in the background', {
    stream: false,
    background: true,
    client_id: 'echo',
  }),
}

const inPart = { item_id: 'msg_1', agent_step: 1, content_index: 0 }
const frames = [
  {
    type: 'task.created',
    timestamp: at,
    task: {
      ...echoTask,
      status: 'created',
      metadata: { agent: 'echo', expires_at: 1795258234 },
      output: [],
    },
  },
  { type: 'task.working', timestamp: at },
  {
    type: 'task.output_item.added',
    agent_step: 1,
    item: { ...hello, status: 'in_progress', message_content: [] },
  },
  { type: 'task.content_part.added', ...inPart, part: { type: 'output_text', text: '' } },
  { type: 'task.text.delta', ...inPart, delta: 'Hello' },
  { type: 'task.text.done', ...inPart, text: 'Hello' },
  { type: 'task.content_part.done', ...inPart, part: { type: 'output_text', text: 'Hello' } },
  { type: 'task.output_item.done', agent_step: 1, item: hello },
  { type: 'task.completed', timestamp: at, task: echoTask },
].map(({ type, ...fields }, sequence_number) => ({ type, sequence_number, task_id: 'task_1', ...fields }))

/** The stream with which the server answers the request for the echo task. */
export const echoStream = `: open\n${frames
  .map(
    frame =>
      `event: ${frame.type}\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: 'req_1', result: frame })}\n\n`,
  )
  .join('')}`

const ofTask = { task_id: 'task_1', session_id: 'sess_1' }
const ofAgent = { agent_id: 'agent_1', session_id: 'sess_1' }
const events = [
  [
    1,
    'TaskCreated',
    { task_id: 'task_1', title: 'Hello', session_id: 'sess_1', user_id: 'default', status: 'created' },
  ],
  [2, 'AgentSpawned', { ...ofAgent, workdir: '/data/workspace/default/sess_1', task_id: 'task_1' }],
  [3, 'TaskStatusChanged', { ...ofTask, old_status: 'created', new_status: 'working' }],
  [4, 'TaskUpdated', { ...ofTask, sequence_number: 7, changed: ['output'] }],
  [6, 'AgentCompleted', { ...ofAgent, task_id: 'task_1', success: true }],
  [7, 'TaskStatusChanged', { ...ofTask, old_status: 'working', new_status: 'completed' }],
] as const

/** The public events of the same task on `/api/events`. */
export const eventsExample = `: open\n${events
  .map(
    ([position, type, fields]) =>
      `id: ${position}\nevent: ${type}\ndata: ${JSON.stringify({ type, timestamp: at, ...fields })}\n\n`,
  )
  .join('')}`
