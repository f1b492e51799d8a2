// Which protocol an endpoint is spoken to in, and how its key is sent.
import t from 'tap'
import { authAt, guessedDialect } from '../../../src/agents/model/dialects.ts'
import { modelOf } from '../../../src/agents/model/settings.ts'
import { wireAt } from '../../../src/agents/model/wires.ts'

t.test('the host, or the end of the URL, chooses the dialect', async t => {
  const chosen: [url: string, dialect: string][] = [
    ['https://api.anthropic.com/v1', 'anthropic'],
    ['https://api.anthropic.com/v1/messages/', 'anthropic'],
    ['https://api.anthropic.com/v1/chat/completions', 'plain'],
    ['https://openrouter.ai/api/v1/messages', 'anthropic'],
    ['https://api.openai.com/v1', 'openai'],
    ['https://api.openai.com/v1/responses', 'openai-responses'],
    ['https://name.openai.azure.com/openai/v1/responses', 'openai-responses'],
    ['http://127.0.0.1:11434/v1/messages', 'anthropic'],
    ['http://127.0.0.1:11434/v1', 'ollama'],
    ['http://127.0.0.1:8000/messages/v1', 'plain'],
  ]
  for (const [url, dialect] of chosen) t.equal(guessedDialect(url, 'any'), dialect, url)
  t.equal(wireAt('https://api.openai.com/v1/responses?api-version=1'), 'responses')
})

t.test('the key is in the header of the protocol, or of Azure', async t => {
  t.equal(authAt('https://api.anthropic.com/v1', 'anthropic'), 'x-api-key')
  t.equal(authAt('https://api.openai.com/v1/responses', 'openai-responses'), 'bearer')
  t.equal(authAt('https://name.openai.azure.com/openai/v1/responses', 'openai-responses'), 'api-key')
})

t.test('a dialect and a URL of two protocols are refused at the start', async t => {
  const env = { MODEL: 'any', MODEL_BASE_URL: 'http://127.0.0.1:1/v1/messages' }
  t.throws(() => modelOf({ ...env, MODEL_DIALECT: 'vllm' }), {
    message:
      'MODEL_DIALECT=vllm speaks another protocol than the end of MODEL_BASE_URL says (/messages): leave one of them out',
  })
  t.match(modelOf({ ...env, MODEL_DIALECT: 'anthropic' }), { dialect: 'anthropic' })
  t.match(modelOf({ ...env, MODEL_BASE_URL: 'http://127.0.0.1:1/v1', MODEL_DIALECT: 'openai-responses' }), {
    dialect: 'openai-responses',
  })
})
