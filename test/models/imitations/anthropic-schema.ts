// The fields that Anthropic publishes for Messages, without the tools that run at its side.
import {
  any,
  byField,
  checkerOf,
  listOf as listSchema,
  maybe,
  number,
  objectOf,
  only,
  text,
  textOr,
  truth,
} from './schema.ts'

const cache = { 'cache_control?': any }
const textBlock = { text, 'citations?': any, ...cache }
const image = {
  source: byField('type', {
    base64: { media_type: only('image/jpeg', 'image/png', 'image/gif', 'image/webp'), data: text },
    url: { url: text },
    file: { file_id: text },
  }),
  ...cache,
}
const document = { source: any, 'title?': maybe(text), 'context?': maybe(text), 'citations?': any, ...cache }
const result = {
  tool_use_id: text,
  'content?': textOr(byField('type', { text: textBlock, image, document })),
  'is_error?': truth,
  ...cache,
}
const userBlock = byField('type', {
  text: textBlock,
  image,
  tool_result: result,
  document,
})
const assistantBlock = byField('type', {
  text: textBlock,
  thinking: { thinking: text, signature: text },
  redacted_thinking: { data: text },
  tool_use: { id: text, name: text, input: { type: 'object' }, 'caller?': any, ...cache },
})
const name = { type: 'string', pattern: '^[a-zA-Z0-9_-]{1,128}$' }
/** The first thing in a body that does not fit; undefined if all fits. */
export const anthropicProblem = checkerOf(
  objectOf({
    model: text,
    max_tokens: { type: 'integer', minimum: 1 },
    messages: {
      ...listSchema(
        byField('role', {
          user: { content: textOr(userBlock) },
          assistant: { content: textOr(assistantBlock) },
          system: { content: textOr(byField('type', { text: textBlock })) },
        }),
      ),
      minItems: 1,
    },
    'system?': textOr(byField('type', { text: textBlock })),
    'tools?': listSchema(
      objectOf({
        name,
        'description?': text,
        input_schema: { type: 'object', required: ['type'] },
        'type?': maybe(only('custom')),
        'strict?': truth,
        'input_examples?': any,
        'eager_input_streaming?': maybe(truth),
        ...cache,
      }),
    ),
    'tool_choice?': byField('type', {
      auto: { 'disable_parallel_tool_use?': truth },
      any: { 'disable_parallel_tool_use?': truth },
      tool: { name: text, 'disable_parallel_tool_use?': truth },
      none: {},
    }),
    'thinking?': byField('type', {
      enabled: { budget_tokens: { type: 'integer', minimum: 1024 }, 'display?': any },
      adaptive: { 'display?': any },
      between_tools: {},
      disabled: {},
    }),
    'output_config?': objectOf({
      'effort?': any,
      'format?': maybe(objectOf({ type: only('json_schema'), schema: { type: 'object' } })),
    }),
    ...Object.fromEntries(
      [
        'cache_control',
        'container',
        'diagnostics',
        'inference_geo',
        'metadata',
        'service_tier',
        'speed',
        'stop_sequences',
        'user_profile_id',
        'workspace_id',
      ].map(field => [`${field}?`, any]),
    ),
    'stream?': truth,
    'temperature?': number,
    'top_k?': number,
    'top_p?': number,
  }),
)
