// The bodies of OpenAI's protocols. OpenAI's own reference explains their fields; here stands what each does to a task.
import * as chat from '../../contract/openai/completions.ts'
import * as responses from '../../contract/openai/responses.ts'
import { OpenAIError, OpenAIModel, OpenAIModelList } from '../../contract/openai/shared.ts'
import type { Components } from '../component.ts'

const common = {
  model: 'The name of an agent, as `GET /v1/models` lists them.',
  metadata: 'The metadata of the task.',
  parallel_tool_calls: 'Goes to the model, if there are tools.',
  store: 'Accepted. The log keeps each task.',
  stream: 'true: the answer is a stream.',
  tool_choice:
    '`none`: the agent does not get the tools of this request. Values other than `auto` and `none` have no effect.',
  temperature: 'Goes to the model.',
  top_p: 'Goes to the model.',
}
const ofModel = {
  id: 'The name of the agent.',
  object: 'Always `model`.',
  owned_by: 'Where the agent comes from.',
}

export const openAiComponents: Components = {
  CreateResponseBody: {
    schema: responses.CreateResponseBody,
    about: 'A request for a response. Fields that are not here are ignored, and named in `X-Ignored-Fields`.',
    fields: {
      ...common,
      input: 'The message of the user, or the items of a conversation.',
      instructions: 'The instructions for the model (`agent_config.developer_prompt`).',
      previous_response_id: 'Continues the session of that response.',
      background: 'true: the answer comes at once.',
      max_output_tokens: 'The length of the longest answer of the model.',
      reasoning: '`effort` goes to the model.',
      text: '`format` is the form of the answer (`structured_output`).',
      tools: 'Functions that the client runs (`client_tools`).',
    },
  },
  ResponseInputItem: { schema: responses.ResponseInputItem, about: 'An item of the input of a response.' },
  OpenAIResponse: {
    schema: responses.OpenAIResponse,
    about: 'A response of OpenAI: a turn of a task.',
    fields: {
      id: '`resp_` and the id of the task. A response that continues a task has the number of the frame behind a dot with which the task waited.',
      object: 'Always `response`.',
      created_at: 'When the turn began, in Unix seconds.',
      completed_at: 'When the turn was over, in Unix seconds; null before.',
      status:
        'How the turn stands. A task that is paused, or waits for an approval, is `in_progress`. A response that calls functions of the client is `completed`.',
      background: 'As in the request that made the task.',
      error: 'Why the task has failed or expired.',
      incomplete_details: 'Why the answer is not whole.',
      instructions: 'As in the request that made the task.',
      max_output_tokens: 'As in the request that made the task.',
      max_tool_calls: 'Always null.',
      metadata: 'The metadata of the task.',
      model: 'The agent.',
      output:
        'What the agent has said and thought in this turn, its calls of functions of the client (`function_call`), and calls that the server has run (`mcp_call`).',
      parallel_tool_calls: 'As in the request that made the task.',
      previous_response_id: 'The response that this one continues.',
      prompt_cache_key: 'Always null.',
      reasoning: 'As in the request that made the task.',
      safety_identifier: 'Always null.',
      service_tier: 'Always `default`.',
      store: 'Always true.',
      temperature: 'As in the request that made the task, or 1.',
      text: 'The form of the answer.',
      tool_choice: 'As in the request that made the task.',
      tools: 'The functions of the client.',
      top_logprobs: 'Always 0.',
      top_p: 'As in the request that made the task, or 1.',
      presence_penalty: 'Always 0 unless the task has another one.',
      frequency_penalty: 'Always 0 unless the task has another one.',
      truncation: 'Always `disabled`.',
      usage: 'The tokens of this turn; null before its end.',
    },
  },
  ResponseEvent: {
    schema: responses.ResponseEvent,
    about:
      'An event of the stream of a response, such as `response.output_text.delta`. Its other fields depend on its type.',
    fields: {
      type: 'The kind of event.',
      sequence_number: 'The number of the event in its response, which is the same each time it is read.',
    },
    open: true,
  },
  ResponseUsage: {
    schema: responses.ResponseUsage,
    about: 'The tokens of a turn.',
    fields: {
      input_tokens: 'Tokens that the model has read.',
      input_tokens_details: 'How many of them came from a cache.',
      output_tokens: 'Tokens that the model has written.',
      output_tokens_details: 'How many of them were reasoning.',
      total_tokens: 'All of them.',
    },
  },
  DeletedResponse: {
    schema: responses.DeletedResponse,
    about: 'A response that no longer exists.',
    fields: { id: 'Its id.', object: 'Always `response`.', deleted: 'Always true.' },
  },
  ResponseInputItems: {
    schema: responses.ResponseInputItems,
    about: 'Items of the input of a response.',
    fields: {
      object: 'Always `list`.',
      data: 'The items.',
      first_id: 'The id of the first item of this answer; null if there is none.',
      last_id: 'The id of the last one.',
      has_more: 'Whether there are more.',
    },
  },
  CreateChatCompletionBody: {
    schema: chat.CreateChatCompletionBody,
    about:
      'A request for a chat completion. Fields that are not here are ignored, and named in `X-Ignored-Fields`.',
    fields: {
      ...common,
      messages:
        'The whole conversation. If it ends with results of tools for which a task waits, that task continues.',
      frequency_penalty: 'Goes to the model.',
      logit_bias: 'Goes to the model.',
      max_completion_tokens: 'The length of the longest answer of the model.',
      max_tokens: 'The same.',
      n: 'Only 1.',
      presence_penalty: 'Goes to the model.',
      reasoning_effort: 'Goes to the model.',
      response_format: 'The form of the answer (`structured_output`).',
      seed: 'Goes to the model.',
      stop: 'Goes to the model.',
      stream_options: '`include_usage`: the last chunk of a stream has the usage.',
      tools: 'Functions that the client runs (`client_tools`).',
    },
  },
  ChatMessage: {
    schema: chat.ChatMessage,
    about: 'A message of a conversation.',
    fields: {
      role: 'Who says it.',
      content: 'What is said.',
      name: 'The name of the speaker.',
      refusal: 'What the assistant said in place of an answer.',
      tool_calls: 'The calls of the assistant.',
      tool_call_id: 'The call of which this is the result.',
    },
  },
  CalledFunction: {
    schema: chat.CalledFunction,
    about: 'A function that is called.',
    fields: { name: 'Its name.', arguments: 'Its arguments, as JSON.' },
  },
  ChatUsage: {
    schema: chat.ChatUsage,
    about: 'The tokens of a completion.',
    fields: {
      prompt_tokens: 'Tokens that the model has read.',
      completion_tokens: 'Tokens that the model has written.',
      total_tokens: 'All of them.',
      prompt_tokens_details: 'How many of those that it has read came from a cache.',
      completion_tokens_details: 'How many of those that it has written were reasoning.',
    },
  },
  ChatCompletion: {
    schema: chat.ChatCompletion,
    about: 'A completion of OpenAI: a turn of a task.',
    fields: {
      id: '`chatcmpl-` and the turn, as in the id of a response.',
      object: 'Always `chat.completion`.',
      created: 'When the turn began, in Unix seconds.',
      model: 'The agent.',
      choices: 'One choice: what the agent has said, and its calls of functions of the client.',
      usage: 'The tokens of this turn.',
    },
  },
  ChatChunk: {
    schema: chat.ChatChunk,
    about: 'A part of a completion that is streamed.',
    fields: {
      id: 'As in a completion.',
      object: 'Always `chat.completion.chunk`.',
      created: 'As in a completion.',
      model: 'The agent.',
      choices: 'What is new. The list is empty in the chunk with the usage.',
      usage: 'The tokens of this turn, in the last chunk if `stream_options.include_usage` asks for it.',
    },
  },
  OpenAIModel: {
    schema: OpenAIModel,
    about: 'An agent as a model of OpenAI.',
    fields: {
      ...ofModel,
      created: 'When a worker last connected for the agent, in Unix seconds; 0 for other agents.',
    },
  },
  OpenAIModelList: {
    schema: OpenAIModelList,
    about: 'The agents that the caller may use.',
    fields: { object: 'Always `list`.', data: 'The agents, in order of their names.' },
  },
  OpenAIError: {
    schema: OpenAIError,
    about: 'An error in the form of OpenAI.',
    fields: {
      error: 'What is wrong and what to do (`message`), its kind (`type`, `code`) and its place (`param`).',
    },
  },
}
