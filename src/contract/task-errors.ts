// Why tasks fail: the codes of their errors. docs/errors.md has this table.

type TaskError = { code: number; when: string; hint: string }

export const taskErrors = {
  AgentFailed: {
    code: -32000,
    when: 'The agent or its model has failed, or an agent of your own has thrown an error.',
    hint: 'Read `message`. For an error of your own code, `data.name` is its name.',
  },
  ToolsAway: {
    code: -32008,
    when: 'The tools of the task could not be had, for example because an MCP server is away.',
    hint: 'Look at the server that `message` names, then create the task again.',
  },
  AgentChanged: {
    code: -32040,
    when: 'The code of an agent of your own asks for something else than what is stored of the task.',
    hint: '`data.n` is the number of the entry, `data.was` what is stored, and `data.is` what the code asks for. Give a changed agent a new name or version, so that its tasks end on the old one.',
  },
  HostFailed: {
    code: -32041,
    when: 'The process of an agent of your own has ended, stood still, or sent what it must not, again and again; or the task has become too large for any process.',
    hint: 'Read `message`, and what the process wrote to the log of the server or of the worker.',
  },
  AnswerUnfit: {
    code: -32602,
    when: 'No answer of the agent fitted `structured_output`.',
    hint: '`data.problems` says what was wrong with the last answer. Make the schema simpler, or say more about it in the message.',
  },
} as const satisfies Record<string, TaskError>

export type TaskErrorName = keyof typeof taskErrors
