// The operations of OpenAI's protocols. A model is an agent, and a task is behind each response and completion.
import Type from 'typebox'
import { ChatChunk, ChatCompletion, CreateChatCompletionBody } from '../../contract/openai/completions.ts'
import {
  CreateResponseBody,
  DeletedResponse,
  OpenAIResponse,
  ResponseEvent,
  ResponseInputItems,
} from '../../contract/openai/responses.ts'
import { OpenAIModel, OpenAIModelList } from '../../contract/openai/shared.ts'
import {
  type Answer,
  defineOperations,
  eventStream,
  json,
  type Parameter,
  refusalsOfMessages,
} from '../operation.ts'
import { cursor, idempotencyKey, query, retryCount, text, usually } from '../parameters.ts'

const ofTask = ['X-Task-Id', 'X-Session-Id'] as const
const responseId: Parameter = { in: 'path', name: 'response_id', schema: text, about: 'The response.' }

const theResponse = (about: string, ...headers: Answer['headers'] & object): Answer => ({
  status: 200,
  about,
  type: json,
  schema: OpenAIResponse,
  headers: [...ofTask, ...headers],
})
const events = (about: string, ...headers: Answer['headers'] & object): Answer => ({
  status: 200,
  about,
  type: eventStream,
  items: ResponseEvent,
  headers: [...ofTask, ...headers],
})

export const openAiOperations = defineOperations({
  createResponse: {
    method: 'POST',
    path: '/v1/responses',
    tag: 'OpenAI',
    access: 'write',
    errors: 'openai',
    summary: 'Create a response',
    about:
      'OpenAI’s Responses: `model` is the name of an agent, and a task is behind the response. With `stream: true` the answer is a stream of events, with `background: true` it comes at once, and otherwise when the response is over. A response is over when its task ends or calls a function of the client; a `function_call_output` for such a call continues the task, in a new response. The task continues when the connection breaks.',
    parameters: [idempotencyKey, retryCount],
    body: {
      schema: CreateResponseBody,
      examples: {
        text: { summary: 'A text', value: { model: 'echo', input: 'Hello' } },
        stream: { summary: 'A stream', value: { model: 'echo', input: 'Hello', stream: true } },
      },
    },
    answers: [
      theResponse('The response.', 'Idempotency-Replayed'),
      events('With `stream: true`: the events of the response.', 'Idempotency-Replayed'),
    ],
    refusals: ['InputMissing', 'AlreadyAnswered', 'WrongState', 'TaskNotFound', 'Conflict', 'OverQuota'],
  },
  getResponse: {
    method: 'GET',
    path: '/v1/responses/{response_id}',
    tag: 'OpenAI',
    access: 'read',
    errors: 'openai',
    summary: 'Get a response',
    about:
      'The response as it is now. With `stream=true` the answer is the stream of its events, past and live, which ends with the response. Each event always has the same number, so `starting_after` continues a stream that broke.',
    parameters: [
      responseId,
      query('stream', usually(Type.Boolean(), false), 'true: the answer is the stream of its events.'),
      query('starting_after', cursor, 'The number of an event: the stream begins with the next one.'),
    ],
    answers: [theResponse('The response.'), events('With `stream=true`: the events of the response.')],
    refusals: ['TaskNotFound', 'OverQuota'],
  },
  deleteResponse: {
    method: 'DELETE',
    path: '/v1/responses/{response_id}',
    tag: 'OpenAI',
    access: 'write',
    errors: 'openai',
    summary: 'Delete a response',
    about:
      'Deletes the task of the response, with all responses of this task. An unfinished task is canceled first.',
    parameters: [responseId],
    answers: [
      {
        status: 200,
        about: 'The response is deleted.',
        type: json,
        schema: DeletedResponse,
        headers: [...ofTask],
      },
    ],
    refusals: ['TaskNotFound'],
  },
  cancelResponse: {
    method: 'POST',
    path: '/v1/responses/{response_id}/cancel',
    tag: 'OpenAI',
    access: 'write',
    errors: 'openai',
    summary: 'Cancel a response',
    about:
      'Cancels the task of the response, whether or not it runs in the background. If the task has ended, nothing changes.',
    parameters: [responseId],
    answers: [theResponse('The response.')],
    refusals: ['TaskNotFound'],
  },
  listResponseInputItems: {
    method: 'GET',
    path: '/v1/responses/{response_id}/input_items',
    tag: 'OpenAI',
    access: 'read',
    errors: 'openai',
    summary: 'List the input of a response',
    about: 'The items of the input with which the response was made, newest first.',
    parameters: [
      responseId,
      query('after', text, 'The id of an item: the answer begins with the next one.'),
      query('limit', usually(Type.Integer({ minimum: 1, maximum: 100 }), 20), 'The largest number of items.'),
      query('order', usually(Type.Enum(['asc', 'desc']), 'desc'), '`desc`: newest first.'),
    ],
    answers: [
      {
        status: 200,
        about: 'The items.',
        type: json,
        schema: ResponseInputItems,
        headers: [...ofTask],
      },
    ],
    refusals: ['TaskNotFound'],
  },
  createChatCompletion: {
    method: 'POST',
    path: '/v1/chat/completions',
    tag: 'OpenAI',
    access: 'write',
    errors: 'openai',
    summary: 'Create a chat completion',
    about:
      'OpenAI’s Chat Completions: `model` is the name of an agent, and a task is behind the completion. The task sees the messages of the request, and no session. When the messages end with results of tools for which a task waits, that task continues. A completion whose task fails is refused with 424.',
    parameters: [idempotencyKey, retryCount],
    body: {
      schema: CreateChatCompletionBody,
      examples: {
        text: {
          summary: 'A text',
          value: { model: 'echo', messages: [{ role: 'user', content: 'Hello' }] },
        },
      },
    },
    answers: [
      {
        status: 200,
        about: 'The completion.',
        type: json,
        schema: ChatCompletion,
        headers: [...ofTask, 'Idempotency-Replayed'],
      },
      {
        status: 200,
        about: 'With `stream: true`: chunks as server-sent events, and at the end the text `[DONE]`.',
        type: eventStream,
        items: ChatChunk,
        headers: [...ofTask, 'Idempotency-Replayed'],
      },
    ],
    refusals: [...refusalsOfMessages, 'TaskFailed'],
  },
  listModels: {
    method: 'GET',
    path: '/v1/models',
    tag: 'OpenAI',
    access: 'read',
    errors: 'openai',
    summary: 'List the models',
    about: 'The agents that the caller may use, as models of OpenAI.',
    answers: [{ status: 200, about: 'The agents.', type: json, schema: OpenAIModelList }],
  },
  getModel: {
    method: 'GET',
    path: '/v1/models/{model}',
    tag: 'OpenAI',
    access: 'read',
    errors: 'openai',
    summary: 'Get a model',
    about: 'An agent that the caller may use, as a model of OpenAI.',
    parameters: [{ in: 'path', name: 'model', schema: text, about: 'The name of the agent.' }],
    answers: [{ status: 200, about: 'The agent.', type: json, schema: OpenAIModel }],
    refusals: ['TaskNotFound'],
  },
})
