// vLLM, with tools turned on.

import { callsOf, jsonProblem } from './completions-history.ts'
import { argumentsWithName, eachChoice } from './completions-traits.ts'
import { type Imitation, idsLike } from './imitation.ts'

const model = 'Qwen/Qwen3-32B'
export const vllm: Imitation = {
  title: 'vLLM',
  paths: { chat: '/v1/chat/completions' },
  base: '/v1',
  model,
  headers: {},
  rules: [
    {
      name: 'model',
      about: 'a model that is not served',
      source: 'https://github.com/vllm-project/vllm/issues/3485',
      check: ({ body }) => (body.model === model ? undefined : `The model \`${body.model}\` does not exist.`),
      status: 404,
      error: { type: 'NotFoundError' },
    },
    {
      name: 'malformed-arguments',
      about: 'arguments of an earlier call that are no JSON',
      source: 'https://github.com/vllm-project/vllm/issues/43995',
      check: sent =>
        callsOf(sent)
          .map(call => (call.arguments === '' ? undefined : jsonProblem(call.arguments)))
          .find(problem => problem !== undefined),
    },
    {
      name: 'arguments-no-object',
      about: 'arguments of an earlier call that are JSON, but no object; the server fails',
      source: 'https://github.com/vllm-project/vllm/pull/50861',
      check: sent =>
        callsOf(sent).some(({ arguments: text }) => text !== '' && !/^\s*\{/.test(String(text)))
          ? 'Internal Server Error'
          : undefined,
      status: 500,
      error: { type: 'InternalServerError' },
    },
  ],
  traits: [
    {
      about: 'reasoning is in reasoning',
      source: 'https://docs.vllm.ai/en/latest/features/reasoning_outputs/',
      answer: answer => ({ reasoning_as: 'reasoning', ...answer }),
    },
    {
      about: 'the first piece of a call has the beginning of its arguments',
      source: 'https://github.com/agentjido/req_llm/pull/801',
      ...argumentsWithName,
    },
    {
      about: 'each choice has a stop_reason',
      source: 'https://docs.vllm.ai/en/latest/serving/openai_compatible_server/',
      ...eachChoice(choice => ('finish_reason' in choice ? { ...choice, stop_reason: null } : choice)),
    },
  ],
  errorBody: (message, code, error) => ({
    error: {
      message,
      type: code >= 500 ? 'InternalServerError' : 'BadRequestError',
      param: null,
      ...error,
      code,
    },
  }),
  callId: idsLike('chatcmpl-tool-', 32),
}
