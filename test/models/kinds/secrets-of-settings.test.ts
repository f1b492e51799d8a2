// The kind: a key that the operator has put elsewhere than into MODEL_API_KEY is shown to users or in the first lines of
// the server.
import t from 'tap'
import { redactor } from '../../../src/agents/model/failures.ts'
import { shownAddress } from '../../../src/agents/model/open-endpoint.ts'
import { modelOf } from '../../../src/agents/model/settings.ts'
import { replay, stepAt } from '../../agents/streams/replay.ts'
import { opened, providerFile } from '../ai-sdk/support.ts'
import { outcomeOf } from './outcome.ts'

const query = '?api-version=2024-10-21&key=sk-of-the-query'

t.test('a key in the query of the base URL is in no message', async t => {
  const { baseUrl } = await replay(t, () => ({
    status: 404,
    headers: { 'content-type': 'text/plain' },
    body: [`no route for POST /v1/chat/completions${query}`],
  }))
  const { said, end } = await stepAt(`${baseUrl}${query}`)
  t.match(outcomeOf(said, end).end, /404: no route for POST .*\?api-version=2024-10-21&key=\*\*\*$/)
})

t.test('the address for people has no values of its query', async t => {
  const ways = [{}, { MODEL_PROVIDER: providerFile }]
  for (const more of ways) {
    const settings = modelOf({ MODEL_BASE_URL: `https://api.example.com/v1${query}`, MODEL: 'any', ...more })
    t.match(settings && shownAddress(settings), /^https:\/\/api\.example\.com\/v1\?… \(dialect /)
  }
  t.throws(() => modelOf({ MODEL_BASE_URL: `https://api.example.com/v1${query}` }), {
    message:
      'MODEL_BASE_URL=https://api.example.com/v1?… is set without MODEL: set that to the name of a model',
  })
})

t.test('no part of a second key stays where a message is cut', async t => {
  const redact = redactor(['sk-first', 'sk-second-key'])
  t.equal(redact(`${'x'.repeat(992)}sk-second-key`), `${'x'.repeat(992)}***`)
})

t.test('options name another endpoint, and keys do not', async t => {
  const idWith = async (options: object) => {
    const { endpoint } = await opened({
      ...{ MODEL_PROVIDER: providerFile, MODEL: 'any' },
      MODEL_PROVIDER_OPTIONS: JSON.stringify(options),
    })
    return endpoint.asks('any').endpoint
  }
  const one = await idWith({ region: 'one', apiKey: 'a', headers: { cookie: 'a' } })
  t.equal(await idWith({ region: 'one', apiKey: 'b', headers: { cookie: 'b' } }), one)
  t.not(await idWith({ region: 'two', apiKey: 'a' }), one)
})
