// The one table of dialects: how the endpoints of each vendor differ from the plain one. An operator chooses one with
// MODEL_DIALECT; without it, the address and the name of the model tell which one it is. docs/models.md shows the table.
import { plain, type Switches } from '../../model-requests/switches.ts'
import { type WireName, wireAt } from './wires.ts'

/**
 * `found`: how the dialect is found, for people. `hosts`: hosts, and with `:` ports, that speak it. `models`: names of
 * models that tell it on any other host.
 * `auth`: the header that holds the key. `sources`: where the vendor, or somebody who met it, says so.
 */
export type Dialect = {
  title: string
  found: string
  hosts?: RegExp
  models?: RegExp
  protocol: WireName
  auth: 'bearer' | 'api-key' | 'x-api-key'
  switches: Partial<Switches>
  sources: readonly string[]
}

export const dialects = {
  plain: {
    title: 'any endpoint of chat completions',
    found: 'any other endpoint',
    protocol: 'chat',
    auth: 'bearer',
    switches: {},
    sources: ['https://platform.openai.com/docs/api-reference/chat'],
  },
  openai: {
    title: 'OpenAI',
    found: '`api.openai.com`',
    hosts: /^api\.openai\.com$/,
    protocol: 'chat',
    auth: 'bearer',
    switches: { max_tokens: 'max_completion_tokens' },
    sources: [
      'https://platform.openai.com/docs/api-reference/chat/create',
      'https://github.com/OpenHands/OpenHands/issues/7700',
    ],
  },
  anthropic: {
    title: 'Anthropic, and other endpoints of Messages',
    found: '`api.anthropic.com`, URLs that end in `/messages`',
    hosts: /^api\.anthropic\.com$/,
    protocol: 'messages',
    auth: 'x-api-key',
    switches: { tool_images: 'tool' },
    sources: [
      'https://docs.anthropic.com/en/api/messages',
      'https://docs.anthropic.com/en/api/versioning',
      'https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching',
    ],
  },
  'openai-responses': {
    title: 'OpenAI and others, at their endpoint of Responses',
    found: 'URLs that end in `/responses`',
    protocol: 'responses',
    auth: 'bearer',
    switches: { tool_images: 'tool' },
    sources: [
      'https://platform.openai.com/docs/api-reference/responses',
      'https://platform.openai.com/docs/guides/reasoning#encrypted-reasoning-items',
    ],
  },
  azure: {
    title: 'Azure OpenAI',
    found: 'hosts of Azure',
    hosts: /\.(openai\.azure\.com|cognitiveservices\.azure\.com|services\.ai\.azure\.com)$/,
    protocol: 'chat',
    auth: 'api-key',
    switches: { max_tokens: 'max_completion_tokens' },
    sources: ['https://learn.microsoft.com/en-us/azure/ai-services/openai/reference'],
  },
  gemini: {
    title: 'Gemini, at its endpoint of chat completions',
    found: 'hosts of Google APIs',
    hosts: /^(generativelanguage|[\w-]*aiplatform)\.googleapis\.com$/,
    protocol: 'chat',
    auth: 'bearer',
    switches: { calls: 'signed', tool_schemas: 'simple' },
    sources: [
      'https://ai.google.dev/gemini-api/docs/openai',
      'https://ai.google.dev/gemini-api/docs/thought-signatures',
    ],
  },
  mistral: {
    title: 'Mistral',
    found: '`api.mistral.ai`',
    hosts: /^api\.mistral\.ai$/,
    protocol: 'chat',
    auth: 'bearer',
    switches: {
      ...{ usage: 'off', names: 'off', call_ids: 'nine', order: 'alternate' },
      ...{ tool_images: 'tool', files: 'document_url', roles: 'system' },
    },
    sources: [
      'https://docs.mistral.ai/api/',
      'https://github.com/datapizza-labs/datapizza-ai/issues/98',
      'https://github.com/charmbracelet/crush/issues/1590',
    ],
  },
  deepseek: {
    title: 'DeepSeek',
    found: '`api.deepseek.com`',
    hosts: /^api\.deepseek\.com$/,
    protocol: 'chat',
    auth: 'bearer',
    switches: {
      ...{ reasoning: 'required', schema: 'json_object', roles: 'system', text_parts: 'joined' },
      ...{ images: 'off', audio: 'off', files: 'text', tool_images: 'off' },
    },
    sources: [
      'https://api-docs.deepseek.com/guides/thinking_mode',
      'https://api-docs.deepseek.com/guides/json_mode',
    ],
  },
  openrouter: {
    title: 'OpenRouter',
    found: '`openrouter.ai`',
    hosts: /^openrouter\.ai$/,
    protocol: 'chat',
    auth: 'bearer',
    switches: {},
    sources: ['https://openrouter.ai/docs/use-cases/reasoning-tokens#preserving-reasoning-blocks'],
  },
  kimi: {
    title: 'Kimi of Moonshot AI',
    found: '`api.moonshot.ai`, `api.moonshot.cn`',
    hosts: /^api\.moonshot\.(ai|cn)$/,
    protocol: 'chat',
    auth: 'bearer',
    switches: { reasoning: 'required', roles: 'system' },
    sources: ['https://platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model'],
  },
  vllm: {
    title: 'vLLM',
    found: '–',
    protocol: 'chat',
    auth: 'bearer',
    switches: { roles: 'system', order: 'alternate', files: 'text' },
    sources: ['https://docs.vllm.ai/en/latest/serving/openai_compatible_server/'],
  },
  'llama.cpp': {
    title: 'the server of llama.cpp',
    found: 'models `*.gguf`',
    models: /\.gguf$/i,
    protocol: 'chat',
    auth: 'bearer',
    switches: { roles: 'system', order: 'alternate', tool_images: 'tool', files: 'text' },
    sources: [
      'https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md',
      'https://github.com/ggml-org/llama.cpp/issues/19851',
    ],
  },
  ollama: {
    title: 'Ollama, at its endpoint of chat completions',
    found: 'port 11434, `ollama.com`, models such as `qwen3:8b`',
    hosts: /(^|\.)ollama\.com$|:11434$/,
    models: /^[\w./-]+:(latest|\d+(\.\d+)?b(-[\w-]+)?)$/i,
    protocol: 'chat',
    auth: 'bearer',
    switches: { roles: 'system', files: 'text', empty_content: 'text' },
    sources: ['https://github.com/ollama/ollama/blob/main/docs/openai.md'],
  },
} as const satisfies Record<string, Dialect>

export type DialectName = keyof typeof dialects
export const dialectNames = Object.keys(dialects) as DialectName[]
export const dialectOf = (name: DialectName): Dialect => dialects[name]

/** The dialects of endpoints whose URL ends with the path of a protocol. */
const byPath: Record<WireName, DialectName | undefined> = {
  chat: undefined,
  messages: 'anthropic',
  responses: 'openai-responses',
}

/** The dialect that an endpoint speaks, as far as its address and the name of a model tell. */
export const guessedDialect = (baseUrl: string, model: string): DialectName => {
  const protocol = wireAt(baseUrl)
  const named = protocol && byPath[protocol]
  if (named !== undefined) return named
  const { hostname, host } = new URL(baseUrl)
  const at = dialectNames.find(name => {
    const { hosts, protocol: own } = dialectOf(name)
    return (protocol ?? own) === own && (hosts?.test(hostname) || hosts?.test(host))
  })
  return at ?? dialectNames.find(name => dialectOf(name).models?.test(model)) ?? 'plain'
}

/** The header that holds the key. All endpoints of Azure have theirs, whatever the protocol. */
export const authAt = (baseUrl: string, name: DialectName): Dialect['auth'] =>
  dialects.azure.hosts.test(new URL(baseUrl).hostname) ? dialects.azure.auth : dialectOf(name).auth

/** The switches of a dialect, before what the operator sets. */
export const switchesOf = (name: DialectName): Switches => ({ ...plain, ...dialectOf(name).switches })
