// Anthropic Messages. Turns of the same role in a row are accepted, since the endpoint joins them.
import { type Fields, fieldsOf, listOf } from '../../../src/fake-model/question.ts'
import { anthropicProblem } from './anthropic-schema.ts'
import {
  hasBearer,
  hasLoneSurrogate,
  type Imitation,
  idsLike,
  key,
  type Rule,
  type Sent,
} from './imitation.ts'
import { withDots } from './schema.ts'

const sdk =
  'https://github.com/anthropics/anthropic-sdk-typescript/blob/main/src/resources/messages/messages.ts'
const thinkingPage = 'https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking'
const invalid = { type: 'invalid_request_error' }
/** The version of the API from which on messages may have the role system. */
const firstWithSystem = '2026-10-21'

const messagesOf = ({ body }: Sent): Fields[] => listOf(body.messages).map(fieldsOf)
const blocksOf = ({ content }: Fields): Fields[] => listOf(content).map(fieldsOf)
const idsIn = (message: Fields | undefined, type: string, field: string): unknown[] =>
  blocksOf(message ?? {}).flatMap(block => (block.type === type ? [block[field]] : []))

/** The results at the start of a message: those after another block do not count. */
const leadingResults = (message: Fields | undefined): unknown[] => {
  const blocks = blocksOf(message ?? {})
  const end = blocks.findIndex(({ type }) => type !== 'tool_result')
  return blocks.slice(0, end < 0 ? undefined : end).map(({ tool_use_id }) => tool_use_id)
}
const openUses = (sent: Sent): string | undefined => {
  const messages = messagesOf(sent)
  for (const [n, message] of messages.entries()) {
    const answered = leadingResults(messages[n + 1])
    const open = idsIn(message, 'tool_use', 'id').filter(id => !answered.includes(id))
    if (open.length === 0) continue
    return `messages.${n}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`
  }
  return undefined
}
const strayResults = (sent: Sent): string | undefined => {
  const messages = messagesOf(sent)
  for (const [n, message] of messages.entries()) {
    const uses = idsIn(messages[n - 1], 'tool_use', 'id')
    for (const [at, { type, tool_use_id }] of blocksOf(message).entries()) {
      if (type !== 'tool_result' || uses.includes(tool_use_id)) continue
      return `messages.${n}.content.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${tool_use_id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`
    }
  }
  return undefined
}

const isThinking = ({ body }: Sent): boolean =>
  ['enabled', 'adaptive'].includes(String(fieldsOf(body.thinking).type))
/** The last message of the assistant before the results of its calls must begin with its thoughts. */
const thoughtsFirst = (sent: Sent): string | undefined => {
  const messages = messagesOf(sent)
  const n = messages.findLastIndex(({ role }) => role === 'assistant')
  const [first] = blocksOf(messages[n] ?? {})
  const uses = idsIn(messages[n], 'tool_use', 'id').length > 0
  if (fieldsOf(sent.body.thinking).type !== 'enabled' || !uses || first === undefined) return undefined
  if (first.type === 'thinking' || first.type === 'redacted_thinking') return undefined
  return `messages.${n}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`. Please consult our documentation at ${thinkingPage}`
}
const forged = (sent: Sent): string | undefined => {
  for (const [n, message] of messagesOf(sent).entries()) {
    for (const [at, { type, thinking, signature, data }] of blocksOf(message).entries()) {
      const isForged =
        type === 'thinking'
          ? sent.issued.thoughts.get(String(signature)) !== thinking
          : type === 'redacted_thinking' && !sent.issued.sealed.has(String(data))
      const what = type === 'thinking' ? '`signature` in `thinking`' : '`data` in `redacted_thinking`'
      if (isForged) return `messages.${n}.content.${at}: Invalid ${what} block`
    }
  }
  return undefined
}

const emptyText = (sent: Sent): string | undefined => {
  const isEmpty = (block: Fields) => block.type === 'text' && block.text === ''
  const empty = messagesOf(sent).some(message => message.content === '' || blocksOf(message).some(isEmpty))
  return empty ? 'messages: text content blocks must be non-empty' : undefined
}

const rules: readonly Rule[] = [
  {
    name: 'key',
    about:
      'a request without a valid key in the header x-api-key or, as newer clients send it, as a bearer token',
    source: 'https://docs.anthropic.com/en/api/errors',
    check: sent => (sent.headers['x-api-key'] === key || hasBearer(sent) ? undefined : 'invalid x-api-key'),
    status: 401,
    error: { type: 'authentication_error' },
  },
  {
    name: 'version',
    about: 'a request without the header anthropic-version',
    source: 'https://docs.anthropic.com/en/api/versioning',
    check: ({ headers }) =>
      headers['anthropic-version'] === undefined ? 'anthropic-version: header is required' : undefined,
    error: invalid,
  },
  {
    name: 'lone-surrogate',
    about: 'half of a surrogate pair anywhere in the body',
    source: 'https://github.com/anthropics/claude-code/issues/8272',
    check: sent =>
      hasLoneSurrogate(sent)
        ? 'The request body is not valid JSON: no low surrogate in string: line 1 column 100 (char 99)'
        : undefined,
    error: invalid,
  },
  {
    name: 'role',
    about: `a message of another role than user and assistant, such as tool; and system before version ${firstWithSystem}`,
    source: 'https://github.com/NyarchLinux/NyarchAssistant/issues/157',
    check: sent => {
      const hasSystem = String(sent.headers['anthropic-version']) >= firstWithSystem
      const roles = ['user', 'assistant', ...(hasSystem ? ['system'] : [])]
      const other = messagesOf(sent).find(({ role }) => !roles.includes(String(role)))
      return (
        other &&
        `messages: Unexpected role "${other.role}". Allowed roles are "user" or "assistant". For instructions on how to use tools, see https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview.`
      )
    },
    error: invalid,
  },
  {
    name: 'tool-name',
    about: 'a call whose tool has a name with other characters than letters, digits, _ and -',
    source: 'https://github.com/home-assistant/core/issues/140005',
    check: sent => {
      for (const [n, message] of messagesOf(sent).entries()) {
        const blocks = blocksOf(message)
        const at = blocks.findIndex(
          block => block.type === 'tool_use' && !/^[a-zA-Z0-9_-]{1,64}$/.test(String(block.name)),
        )
        if (at < 0) continue
        return `messages.${n}.content.${at}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'`
      }
      return undefined
    },
    error: invalid,
  },
  {
    name: 'budget',
    about: 'a budget for thinking below 1024 tokens',
    source: 'https://github.com/themaximalist/llm.js/issues/30',
    check: ({ body }) =>
      Number(fieldsOf(body.thinking).budget_tokens ?? 1024) < 1024
        ? 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024'
        : undefined,
    error: invalid,
  },
  {
    name: 'schema',
    about: 'a body that does not fit the published schema: a field that it does not have, no max_tokens, …',
    source: sdk,
    check: ({ body }) => {
      const problem = anthropicProblem(body)
      if (problem === undefined) return undefined
      const at = withDots(problem.at)
      if (problem.kind === 'unknown') return `${at}: Extra inputs are not permitted`
      return problem.kind === 'missing' ? `${at}: Field required` : `${at}: Input is invalid: ${problem.says}`
    },
    error: invalid,
  },
  {
    name: 'empty-text',
    about: 'a text that is empty',
    source: 'https://github.com/anthropics/claude-code/issues/49171',
    check: emptyText,
    error: invalid,
  },
  {
    name: 'budget-and-max-tokens',
    about: 'a budget for thinking that is not below max_tokens',
    source: sdk,
    check: ({ body }) =>
      Number(fieldsOf(body.thinking).budget_tokens ?? 0) >= Number(body.max_tokens)
        ? `\`max_tokens\` must be greater than \`thinking.budget_tokens\`. Please consult our documentation at ${thinkingPage}`
        : undefined,
    error: invalid,
  },
  {
    name: 'temperature-and-thinking',
    about: 'a temperature other than 1 while thinking',
    source: 'https://github.com/Smart-AI-Memory/attune-ai/pull/730',
    check: sent =>
      isThinking(sent) && (sent.body.temperature ?? 1) !== 1
        ? `\`temperature\` may only be set to 1 when thinking is enabled. Please consult our documentation at ${thinkingPage}`
        : undefined,
    error: invalid,
  },
  {
    name: 'forced-tool-and-thinking',
    about: 'a tool that must be called while thinking',
    source: 'https://github.com/run-llama/llama_index/issues/19641',
    check: sent =>
      isThinking(sent) && ['any', 'tool'].includes(String(fieldsOf(sent.body.tool_choice).type))
        ? 'Thinking may not be enabled when tool_choice forces tool use.'
        : undefined,
    error: invalid,
  },
  {
    name: 'open-uses',
    about:
      'a call without its result at the start of the next message; a text before the results counts as none',
    source: 'https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls',
    check: openUses,
    error: invalid,
  },
  {
    name: 'stray-results',
    about: 'a result without its call in the message before',
    source: 'https://github.com/openai/openai-agents-python/issues/1797',
    check: strayResults,
    error: invalid,
  },
  {
    name: 'thoughts-first',
    about: 'while thinking: a call of the last turn without the thoughts before it',
    source: 'https://github.com/pydantic/pydantic-ai/issues/2040',
    check: thoughtsFirst,
    error: invalid,
  },
  {
    name: 'signature',
    about: 'thoughts that are not exactly as they were sent, with their signature',
    source: 'https://github.com/anthropics/anthropic-sdk-python/issues/1598',
    check: forged,
    error: invalid,
  },
]

export const anthropic: Imitation = {
  title: 'Anthropic',
  paths: { messages: '/v1/messages' },
  base: '/v1',
  model: 'claude-sonnet-4-5',
  headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01' },
  rules,
  traits: [],
  errorBody: (message, status, error) => ({
    type: 'error',
    error: {
      type: status === 404 ? 'not_found_error' : status >= 500 ? 'api_error' : invalid.type,
      ...error,
      message,
    },
    request_id: 'req_imitation',
  }),
  callId: idsLike('toolu_', 24),
}
