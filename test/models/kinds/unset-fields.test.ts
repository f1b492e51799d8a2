// The kind: a request cannot set or unset a field that the server would send. In each protocol, `inference_args` has the
// last word about everything that is not ours.
import t from 'tap'
import type { ProtocolName } from '../../../src/model-requests/protocol.ts'
import { type Asked, stepBody } from '../../../src/model-requests/request.ts'

const asked = (protocol: ProtocolName): Asked => ({ model: 'any', endpoint: 'one', protocol })
const bodyWith = (protocol: ProtocolName, inference_args: Record<string, unknown>) =>
  stepBody(asked(protocol), {
    request: {
      user_message_content: 'hi',
      stream: false,
      agent_config: { max_response_length: 10 },
      structured_output: { type: 'object' },
      inference_args,
    },
    ...{ items: [], turns: [], tools: [] },
  }).request

/** Fields that the server sends by itself: their names in requests, and in the body if these are others. */
const table: Record<ProtocolName, [name: string, inBody?: string][]> = {
  chat: [['response_format'], ['max_tokens'], ['stream_options']],
  messages: [['output_config'], ['max_tokens']],
  responses: [['text'], ['max_output_tokens'], ['max_tokens', 'max_output_tokens'], ['include'], ['store']],
  'ai-sdk': [
    ['response_format', 'responseFormat'],
    ['max_tokens', 'maxOutputTokens'],
  ],
}

for (const [name, fields] of Object.entries(table)) {
  const protocol = name as ProtocolName
  t.test(protocol, async t => {
    for (const [field, inBody = field] of fields) {
      t.ok(inBody in bodyWith(protocol, {}), `${inBody} is sent`)
      t.notOk(inBody in bodyWith(protocol, { [field]: null }), `null unsets ${field}`)
    }
    t.match(bodyWith(protocol, { model: null, other: null }), { model: 'any', other: undefined })
  })
}
