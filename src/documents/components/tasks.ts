// The task object and its parts.
import * as answers from '../../contract/responses.ts'
import { taskErrors } from '../../contract/task-errors.ts'
import * as wire from '../../contract/wire.ts'
import type { Components } from '../component.ts'
import { listFields } from './list-fields.ts'

const { status: TaskStatus, usage: Usage } = wire.Task.properties
const [, { items: ContentPart }] = wire.MessageContent.anyOf
const [, ContentItem] = ContentPart.anyOf
const { items: Annotation } = wire.TextContentItem.properties.annotations

const codesOfTasks = Object.entries(taskErrors)
  .map(([name, { code }]) => `\`${code}\` (${name})`)
  .join(', ')

const itemFields = {
  type: 'The kind of item.',
  id: 'The id of the item; if it is absent, the service makes one.',
  status:
    '`in_progress` while the item grows; `incomplete` if the item was cut off, or if a call was refused or failed.',
}
const taskFields = {
  object: 'Always `task`.',
  id: 'The id of the task.',
  session_id:
    'The chat session of the task. Tasks of one session share their context, and only one of them works at a time.',
  user_id: 'The user who owns the task.',
  status: 'The status of the task.',
  created_at: 'When the task was created, in Unix seconds.',
  output: 'What the agent said and did: items, in the order in which they began.',
  usage: 'Tokens that the model calls of this task used, without those of its subagents.',
  error: 'Why the task failed.',
  input_required: 'The oldest tool call that waits for the client.',
  metadata:
    'The metadata of the create, and keys that only the service writes: `agent`, `expires_at`, `reason`, `effect`, `pending_inputs`, `pending_task`, `continued_by`, `ended_by`, `parent_task_id`, `group_chat_id`, `subagent_usage`, `odd_tools`, `ignored_fields`, `incomplete_details`, `finish_reason`.',
  previous_task_id: 'The task before this one in the session.',
  rollouts:
    'The entries that `/rollouts` returns. Present only if the create had `return_rollout` and the task has ended; lists of tasks leave this field out.',
}
const { output: _, ...fieldsOfSummary } = taskFields
const called = 'The `call_id` of the tool call to which this result belongs.'
export const taskComponents: Components = {
  Task: {
    schema: wire.Task,
    about: 'A task as it is now. `output` grows while the task works.',
    fields: taskFields,
  },
  TaskSummary: {
    schema: answers.TaskSummary,
    about: 'A task without its output, as lists give it with `fields=summary`.',
    fields: {
      ...fieldsOfSummary,
      question: 'The first 200 characters of the user’s message.',
      started_at: 'When the agent of the task began, in Unix seconds. Absent until then.',
      ended_at: 'When the task ended, in Unix seconds. Absent until then.',
      duration_ms: 'Milliseconds from the beginning of the agent to the end of the task.',
    },
  },
  TaskCounts: {
    schema: answers.TaskCounts,
    about: 'The number of tasks that match the filters of a list.',
    fields: {
      total: 'The number of all these tasks.',
      by_status: 'The number of tasks in each status. A status without tasks is left out.',
      by_agent: 'For each agent, the number of its tasks in each status.',
    },
  },
  AgentInfo: {
    schema: wire.AgentInfo,
    about: 'An agent that tasks may name.',
    fields: {
      name: 'The name of the agent, for `agent_config.agent_id` or `client_id` of a create.',
      description: 'One sentence that says what the agent does.',
      kind: '`builtin`: the agent comes with the server. `function`, `machine`: it is code of a user.',
      source:
        'The name of the file that defines the agent; `reprise` if the agent comes with the server, and `worker` if workers run it.',
      dialect: 'The dialect in which the agent speaks to the endpoint of its model, if it has one.',
      parameters: 'A JSON Schema of what the agent reads from `agent_config`.',
      task_support:
        'Whether a call by MCP becomes a task: always (`required`), never (`none`), or when it takes long (`optional`, as without it).',
      version: 'The version on which new tasks begin.',
      workers: 'The number of workers with this agent that are connected now.',
      connected_at: 'When a worker with this agent connected last, in Unix seconds.',
      user_id: 'The user whose tasks the workers serve. Absent: those of all users.',
      error:
        'Why the file cannot be run as it is now. If an earlier version of it runs, that one goes on; otherwise a create that names the agent is refused.',
    },
  },
  WorkerInfo: {
    schema: wire.WorkerInfo,
    about: 'A worker that is connected.',
    fields: {
      name: 'The name that the worker has given itself.',
      agents: 'The names of its agents.',
      versions: 'The version of each of its agents, by the name of the agent.',
      slots: 'The most tasks whose code it runs at a time.',
      connected_at: 'When it has connected, in Unix seconds.',
      user_id: 'The user whose tasks it serves. Absent: those of all users.',
    },
  },
  WorkerList: {
    schema: answers.WorkerList,
    about: 'The workers that are connected.',
    fields: { ...listFields, data: 'The workers, in order of their names.' },
  },
  AgentList: {
    schema: answers.AgentList,
    about: 'The agents of this server.',
    fields: { ...listFields, data: 'The agents, in order of their names.' },
  },
  TaskStatus: {
    schema: TaskStatus,
    about:
      '`completed`, `canceled`, `expired` and `failed` are final. A task in `input-required` waits for results of client tools. A task in `paused` waits until a client resumes it.',
  },
  OutputItem: { schema: wire.OutputItem, about: 'A message, a reasoning, a tool call or a tool result.' },
  ReasoningItem: {
    schema: wire.ReasoningItem,
    about: 'A reasoning of the agent.',
    fields: { ...itemFields, summary: 'A summary of the thoughts.', content: 'The thoughts themselves.' },
  },
  MessageItem: {
    schema: wire.MessageItem,
    about: 'A message.',
    fields: {
      ...itemFields,
      role: 'The role of the speaker.',
      name: 'The name of the role.',
      message_content: 'The content of the message.',
      block_list: 'Blocks to render, such as charts and tables.',
    },
  },
  ToolCallItem: {
    schema: wire.ToolCallItem,
    about: 'A call of a tool.',
    fields: {
      ...itemFields,
      call_id: 'The id of the call. The result has the same `call_id`.',
      name: 'The name of the tool.',
      arguments: 'The arguments as JSON text.',
      language: 'The language in which the arguments are written.',
    },
  },
  PendingCallItem: {
    schema: wire.PendingCallItem,
    about: 'A call that waits for the client, or for an approval.',
    fields: {
      ...itemFields,
      call_id: 'The id of the call. The answer names it.',
      name: 'The name of the tool.',
      arguments: 'The arguments as JSON text.',
      language: 'The language in which the arguments are written.',
      metadata:
        '`{"approval": true}`: the call waits for an approval (`POST /v1/tasks/{task_id}/approvals`). Otherwise it waits for its result, and `schema` is the JSON Schema that the agent gave for it, if any.',
    },
  },
  ToolResultItem: {
    schema: wire.ToolResultItem,
    about: 'The result of a call.',
    fields: {
      ...itemFields,
      call_id: called,
      message_content: 'The result as the agent sees it.',
      block_list: 'Blocks to render.',
    },
  },
  MessageContent: { schema: wire.MessageContent, about: 'A text, or a list of texts and content items.' },
  ContentItem: { schema: ContentItem, about: 'A part of a message: text, image, audio or file.' },
  TextContentItem: {
    schema: wire.TextContentItem,
    about: 'A part that is text.',
    fields: {
      type: 'The kind of text.',
      text: 'The text.',
      id: 'An id by which other fields can refer to this part.',
      tags: 'Labels that say where the text comes from or what it is for.',
      annotations: 'Citations, links and file paths.',
      logprobs: 'Probabilities of the tokens of the text, if the model’s endpoint gave them.',
    },
  },
  Annotation: { schema: Annotation, about: 'A source of a text.' },
  Logprob: {
    schema: wire.Logprob,
    about: 'How probable a token was.',
    fields: {
      token: 'The token.',
      logprob: 'The natural logarithm of the token’s probability.',
      bytes: 'The UTF-8 bytes of the token.',
      top_logprobs: 'The most probable tokens at this place.',
    },
  },
  Block: {
    schema: wire.Block,
    about: 'A block for a client to render. The server passes on unknown kinds unchanged.',
    fields: { type: 'The kind of block.' },
    open: true,
  },
  Usage: {
    schema: Usage,
    about: 'The tokens that model calls used. An endpoint may report more fields.',
    fields: {
      input_tokens: 'The number of tokens that the model read.',
      output_tokens: 'The number of tokens that the model wrote.',
      total_tokens: 'The sum of both numbers.',
    },
    open: true,
  },
  ToolDefinition: {
    schema: wire.ToolDefinition,
    about: 'A tool that can be called.',
    fields: {
      type: 'Always `function`.',
      function: 'The name of the tool, its purpose, and a JSON Schema of its arguments.',
    },
  },
  ErrorObject: {
    schema: wire.ErrorObject,
    about: `A JSON-RPC error. The error of a failed task has one of the codes ${codesOfTasks}, which docs/errors.md explains, or one that a script has chosen. For the errors of requests, each operation names its codes.`,
    fields: {
      code: 'The code of the error.',
      message: 'The error as a text.',
      data: 'More about the error.',
    },
  },
}
