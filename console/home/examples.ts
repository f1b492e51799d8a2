// Examples of tasks for every agent. Each example shows another ability of the server.

export type Example = { title: string; agent: string; message: string; config?: object; more?: object }

const script = (title: string, message: string, steps: object[], more?: object): Example => ({
  title,
  agent: 'script',
  message,
  config: { script: steps },
  ...(more && { more }),
})

/** A tool that the person at the console answers. */
const approve = {
  type: 'function',
  function: {
    name: 'approve_payment',
    description: 'Asks a person to approve a payment.',
    parameters: {
      type: 'object',
      properties: {
        to: { type: 'string', title: 'Recipient' },
        amount: { type: 'number', title: 'Amount in EUR' },
      },
      required: ['to', 'amount'],
    },
    returns: {
      type: 'object',
      properties: {
        approved: { type: 'boolean', title: 'Approve the payment' },
        note: { type: 'string', title: 'Note' },
      },
      required: ['approved'],
    },
  },
}

export const examples: readonly Example[] = [
  { title: 'Calculate', agent: 'demo', message: 'What is 2 + 3 * 4?' },
  { title: 'Ask for the time', agent: 'demo', message: 'What time is it in Tokyo?' },
  { title: 'Repeat', agent: 'echo', message: 'Hello, Reprise' },
  script(
    'Ask a person',
    'Pay the invoice of the printer',
    [
      { reasoning: 'A payment needs the approval of a person, so I ask before I pay.' },
      { message: 'Before I pay, somebody must approve it.' },
      { tool: 'approve_payment', arguments: { to: 'Print & Co', amount: 240 } },
      { message: 'The answer was: $result', delta_ms: 20 },
    ],
    { client_tools: [approve] },
  ),
  script('Tools in parallel', 'Show me several tools at once', [
    { reasoning: 'Three tools do not depend on each other, so they run at the same time.' },
    {
      tools: [
        { tool: 'calculator', arguments: { expression: '17 * 23' } },
        { tool: 'current_time', arguments: { timezone: 'Europe/Berlin' } },
        { tool: 'run_javascript', arguments: { code: 'Array.from({length: 8}, (_, n) => n * n)' } },
      ],
    },
    { message: 'All three have answered.', delta_ms: 30 },
  ]),
  script('Write a file', 'Write a file and read it again', [
    { tool: 'write_file', arguments: { path: 'notes.txt', content: 'Reprise was here.\n' } },
    { tool: 'read_file', arguments: { path: 'notes.txt' } },
    { message: 'The file says: $result', delta_ms: 20 },
  ]),
  script('A subagent', 'Let another agent calculate', [
    { subagent: 'demo', input: 'What is 12 * 12?' },
    { message: 'The subagent says: $result', delta_ms: 20 },
  ]),
  script('Speak slowly', 'Tell me something slowly, so that I can pause you', [
    { reasoning: 'I speak slowly, so there is time to pause, to cancel, or to kill the server.' },
    { message: `${'Nothing that I say is lost. '.repeat(12)}`, delta_ms: 120 },
    { sleep_ms: 1500 },
    { message: 'That was all.', delta_ms: 60 },
  ]),
  script('Fail', 'Show me a failure', [
    { message: 'I will fail now.', delta_ms: 20 },
    { fail: { code: -32000, message: 'the script says that this task fails' } },
  ]),
  {
    title: 'A group chat',
    agent: 'group',
    message: 'Shall we paint the house blue?',
    config: {
      group: {
        agents: [
          { agent_id: 'echo', name: 'ada' },
          { agent_id: 'demo', name: 'bob' },
        ],
        order: 'round_robin',
        max_rounds: 2,
      },
    },
  },
  { title: 'Ask the model', agent: 'model', message: 'Explain event sourcing in two sentences.' },
]
