// Examples of an environment session. A test sends the requests and compares the answers, except for ids, times, drawn
// seeds, and tools, of which an example shows only one.
const session_id = 'maze'
const ofSession = { session_id, env_id: 'gridworld' }
const tools = [
  {
    type: 'function',
    function: {
      name: 'move',
      description: 'Moves one cell.',
      parameters: {
        type: 'object',
        properties: { direction: { type: 'string', enum: ['north', 'east', 'south', 'west'] } },
        required: ['direction'],
      },
    },
  },
]

const wall = ['wall', 'wall', 'wall']
const small = { width: 4, height: 3, seed: 7, max_steps: 48, view_radius: 1 }
const beginning = {
  agent: { x: 1, y: 1 },
  direction: 'east',
  standing_on: 'floor',
  carrying: [],
  view: { text: '###\n#@G\n###', grid: [wall, ['wall', 'agent', 'goal'], wall] },
  steps: 0,
  steps_left: 48,
}
const stateAtFirst = {
  ...beginning,
  text: '####\n#@G#\n####',
  ...small,
  terminated: false,
  truncated: false,
}
const atGoal = {
  agent: { x: 2, y: 1 },
  direction: 'east',
  standing_on: 'goal',
  carrying: [],
  view: { text: '###\n.@#\n###', grid: [wall, ['floor', 'agent', 'wall'], wall] },
  steps: 1,
  steps_left: 47,
}

export const createdEnv = { ...ofSession, initial_state: stateAtFirst, tools, done: false }
export const observedEnv = { state: stateAtFirst, tools, done: false }
export const resetEnv = { observation: beginning, tools, done: false }
export const stepAnswer = {
  ...ofSession,
  step: 1,
  tool_result: {
    type: 'tool_result',
    id: 'tr_1',
    status: 'completed',
    call_id: 'call_1',
    message_content: 'You move east. You have reached the goal.\n\n###\n.@#\n###',
    block_list: [],
  },
  observation: atGoal,
  state: { ...atGoal, text: '####\n#.@#\n####', ...small, terminated: true, truncated: false },
  reward: 0.98125,
  terminated: true,
  truncated: false,
  done: true,
  info: {},
  tools,
}

export const createEnvExamples = {
  map: {
    summary: 'A grid world with a map of its own',
    value: {
      session_id,
      env_id: 'gridworld',
      env_init_kwargs: { map: '####\n#@G#\n####', view_radius: 1 },
    },
  },
  default: { summary: 'The environment that the operator chose', value: {} },
}
const call = { tool_name: 'move', tool_args: { direction: 'east' } }
export const stepEnvExamples = {
  step: { summary: 'A step to the goal', value: { session_id, ...call, stream: false } },
  stream: {
    summary: 'A step to the goal, with a stream of frames',
    value: { session_id, ...call, stream: true },
  },
}
export const resetEnvExample = { seed: { summary: 'A reset with a seed', value: { session_id, seed: 7 } } }

const frames = [
  { type: 'step.started', session_id, step: 1, ...call },
  { type: 'step.completed', ...stepAnswer },
].map(({ type, ...fields }, sequence_number) => ({ type, sequence_number, ...fields }))
/** The stream of frames of the same step. */
export const stepStream = `: open\n${frames
  .map(
    frame =>
      `event: ${frame.type}\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: 'req_1', result: frame })}\n\n`,
  )
  .join('')}`
