// Azure OpenAI: a deployment of a model of OpenAI, with content filters.
import { eachEvent } from '../../../src/fake-model/faults/fault.ts'
import type { Step } from '../../../src/fake-model/frames.ts'
import { after, eachChoice, hiddenReasoning } from './completions-traits.ts'
import { type Imitation, idsLike, key, type Sent } from './imitation.ts'
import { openaiCompletionsRules } from './openai-completions-rules.ts'

const safe = Object.fromEntries(
  ['hate', 'self_harm', 'sexual', 'violence'].map(name => [name, { filtered: false, severity: 'safe' }]),
)
const empty = { id: '', object: '', created: 0, model: '' }
/** The chunks that tell what the filters found: of the prompt before the answer, of the answer after it. */
const prompt: Step = {
  is: 'raw',
  data: { ...empty, choices: [], prompt_filter_results: [{ prompt_index: 0, content_filter_results: safe }] },
}
const answer: Step = {
  is: 'raw',
  data: {
    ...empty,
    choices: [
      {
        index: 0,
        finish_reason: null,
        content_filter_offsets: { check_offset: 0, start_offset: 0, end_offset: 100 },
        content_filter_results: safe,
      },
    ],
  },
}
/** The first version that has stream_options, in the words in which versions are compared. */
const firstWithOptions = '2024-09-01'
const blocked = /\bhow to build a bomb\b/i
const pick = 'deployments/imitation'

export const azure: Imitation = {
  title: 'Azure OpenAI',
  paths: { chat: `/openai/${pick}/chat/completions` },
  base: `/openai/${pick}?api-version=2024-10-21`,
  model: 'imitation',
  headers: { 'api-key': key },
  rules: [
    {
      name: 'key',
      about: 'a request without a valid key in the header api-key, or a token of Entra',
      source: 'https://github.com/SciSharp/BotSharp/issues/386',
      check: ({ headers }) =>
        headers['api-key'] === key || headers.authorization !== undefined
          ? undefined
          : 'Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.',
      status: 401,
    },
    {
      name: 'api-version',
      about: 'a request without the query api-version',
      source: 'https://github.com/MicrosoftDocs/azure-docs/issues/114602',
      check: ({ query }) => (query.has('api-version') ? undefined : 'Resource not found'),
      status: 404,
    },
    {
      name: 'stream-options',
      about: 'stream_options, in versions before they were added',
      source: 'https://github.com/agno-agi/agno/issues/1066',
      check: ({ body, query }: Sent) =>
        'stream_options' in body && String(query.get('api-version')) < firstWithOptions
          ? { message: "Unknown parameter: 'stream_options'.", more: { param: 'stream_options' } }
          : undefined,
      error: { type: 'invalid_request_error', code: 'unknown_parameter' },
    },
    ...openaiCompletionsRules,
    {
      name: 'content-filter',
      about: 'a prompt that a content filter blocks',
      source: 'https://github.com/compl-ai/compl-ai/issues/20',
      check: ({ body }) =>
        blocked.test(JSON.stringify(body.messages))
          ? "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry. To learn more about our content filtering policies please read our documentation: https://go.microsoft.com/fwlink/?linkid=2198766"
          : undefined,
      error: {
        type: null,
        param: 'prompt',
        code: 'content_filter',
        status: 400,
        innererror: {
          code: 'ResponsibleAIPolicyViolation',
          content_filter_result: { ...safe, violence: { filtered: true, severity: 'medium' } },
        },
      },
    },
  ],
  traits: [
    hiddenReasoning,
    {
      about: 'the first chunk has no choices, but what the filters found in the prompt',
      source: 'https://github.com/AbanteAI/archive-old-cli-mentat/issues/429',
      steps: after(prompt),
      body: body => ({
        ...body,
        prompt_filter_results: [{ prompt_index: 0, content_filter_results: safe }],
      }),
    },
    {
      about: 'each choice says what the filters found in it',
      source: 'https://learn.microsoft.com/en-us/javascript/api/@azure/openai/chatchoice',
      ...eachChoice(choice => ({ ...choice, content_filter_results: safe })),
    },
    {
      about: 'a chunk without a delta says what the filters found in the text so far',
      source: 'https://github.com/microsoft/autogen/issues/6465',
      steps: eachEvent(event => (event.is === 'finish' ? [answer, event] : [event])),
    },
  ],
  errorBody: (message, status, error) => ({
    error:
      status === 401 || status === 404
        ? { code: String(status), message }
        : { message, param: null, ...error },
  }),
  callId: idsLike('call_', 24),
}
