// The task object and its parts.
import * as answers from '../../contract/responses.ts'
import * as wire from '../../contract/wire.ts'
import type { Components } from '../component.ts'

const { status: TaskStatus, usage: Usage } = wire.Task.properties
const [, { items: ContentPart }] = wire.MessageContent.anyOf
const [, ContentItem] = ContentPart.anyOf
const { items: Annotation } = wire.TextContentItem.properties.annotations

const itemFields = {
  type: 'The kind of item.',
  id: 'Its id; if it is absent, the service makes one.',
  status: '`in_progress` while it grows; `incomplete` when it was cut off, refused, or failed.',
}
const taskFields = {
  object: 'Always `task`.',
  id: 'Its id.',
  session_id: 'The session it belongs to: tasks of one session share their context and work one at a time.',
  user_id: 'The user whose task it is.',
  status: 'The state of its lifecycle.',
  created_at: 'Unix seconds.',
  output: 'What the agent said and did, in the order in which it began.',
  usage: 'Tokens used by its own model calls.',
  error: 'Why it failed.',
  input_required: 'The oldest tool call that waits for the client.',
  metadata:
    'The metadata of the create, and keys that only the service writes: `agent`, `expires_at`, `reason`, `effect`, `pending_inputs`, `continued_by`, `parent_task_id`, `subagent_usage`, `ignored_fields`, `incomplete_details`.',
  previous_task_id: 'The task of the session before it.',
  rollouts:
    'Entries as of `/rollouts`; only with `return_rollout`, once the task has ended. Lists leave it out.',
}
const { output: _, ...fieldsOfSummary } = taskFields
const called = 'The tool call that it belongs to.'
export const taskComponents: Components = {
  Task: {
    schema: wire.Task,
    about: 'A task as it is now; `output` grows while it works.',
    fields: taskFields,
  },
  TaskSummary: {
    schema: answers.TaskSummary,
    about: 'A task without its output, as lists give it with `fields=summary`.',
    fields: {
      ...fieldsOfSummary,
      question: 'The first 200 characters of the text that the user said.',
      started_at: 'When its agent began, Unix seconds; absent while it has not.',
      ended_at: 'When it ended, Unix seconds; absent while it has not.',
      duration_ms: 'Milliseconds from the beginning of its agent to its end.',
    },
  },
  TaskCounts: {
    schema: answers.TaskCounts,
    about: 'The number of tasks that match the filters of a list.',
    fields: {
      total: 'All of them.',
      by_status: 'Tasks in each status; a status without tasks is left out.',
      by_agent: 'The same for each agent.',
    },
  },
  AgentInfo: {
    schema: wire.AgentInfo,
    about: 'An agent that tasks may name.',
    fields: {
      name: 'Its name: `agent_config.agent_id` or `client_id` of a create.',
      description: 'What it does, in a sentence.',
      kind: '`builtin`: it comes with the server.',
      source: 'The name of the file that defines it; `reprise` for one that comes with the server.',
    },
  },
  AgentList: {
    schema: answers.AgentList,
    about: 'The agents of this server.',
    fields: { object: 'Always `list`.', data: 'The agents, by name.' },
  },
  TaskStatus: {
    schema: TaskStatus,
    about:
      '`completed`, `canceled`, `expired` and `failed` are final. `input-required` waits for results of client tools, `paused` for a resume.',
  },
  OutputItem: { schema: wire.OutputItem, about: 'A message, a reasoning, a tool call or a tool result.' },
  ReasoningItem: {
    schema: wire.ReasoningItem,
    about: 'A reasoning of the agent.',
    fields: { ...itemFields, summary: 'A summary of it.', content: 'The thoughts themselves.' },
  },
  MessageItem: {
    schema: wire.MessageItem,
    about: 'A message.',
    fields: {
      ...itemFields,
      role: 'Who speaks.',
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
      call_id: 'A unique id; the result has the same one.',
      name: 'The tool.',
      arguments: 'The arguments as JSON text.',
      language: 'The language of the arguments.',
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
      type: 'What kind of text.',
      text: 'The text.',
      id: 'A reference to this part.',
      tags: 'Marks of where it comes from or what it is for.',
      annotations: 'Citations, links and file paths.',
      logprobs: 'Probabilities of its tokens, where the model’s endpoint gave them.',
    },
  },
  Annotation: { schema: Annotation, about: 'Where a text comes from.' },
  Logprob: {
    schema: wire.Logprob,
    about: 'How probable a token was.',
    fields: {
      token: 'The token.',
      logprob: 'The natural logarithm of its probability.',
      bytes: 'Its UTF-8 bytes.',
      top_logprobs: 'The most probable tokens at this place.',
    },
  },
  Block: {
    schema: wire.Block,
    about: 'Something to render. Unknown kinds are passed on unchanged.',
    fields: { type: 'The kind of block.' },
    open: true,
  },
  Usage: {
    schema: Usage,
    about: 'Tokens used. An endpoint may report more fields.',
    fields: {
      input_tokens: 'What the model read.',
      output_tokens: 'What it wrote.',
      total_tokens: 'Both.',
    },
    open: true,
  },
  ToolDefinition: {
    schema: wire.ToolDefinition,
    about: 'A tool that can be called.',
    fields: {
      type: 'Always `function`.',
      function: 'Its name, a JSON Schema of its arguments, and its purpose.',
    },
  },
  ErrorObject: {
    schema: wire.ErrorObject,
    about:
      'A JSON-RPC error. Of a failed task: `-32000` the agent or its model, `-32008` a tool, `-32602` no answer that fits `structured_output`. Of a request: each operation names its codes.',
    fields: {
      code: 'The code of the error.',
      message: 'The same in words.',
      data: 'More about it.',
    },
  },
}
