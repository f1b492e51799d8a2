// The start with a provider package: what is loaded, and what is said when it cannot be.
import path from 'node:path'
import t from 'tap'
import { refusedStart, serveHere } from '../../support/server.ts'
import { opened, providerFile, serveParts, stepOf } from './support.ts'

const env = { MODEL_PROVIDER: providerFile, MODEL: 'any' }

t.test('what cannot be used is told in one line, exit code 2', async t => {
  const folder = t.testdir({
    'nothing.mjs': 'export const create = 1',
    'broken.mjs': 'throw new Error("no such thing\\nand more")',
    'odd.mjs': 'export const createOdd = () => ({ languageModel: () => ({}) })',
    'throws.mjs': 'export const createIt = () => { throw new Error("set a region") }',
  })
  const file = (name: string) => path.join(folder, name)
  const slips: [Record<string, string>, RegExp][] = [
    [
      { MODEL_PROVIDER: '@ai-sdk/none' },
      /^MODEL_PROVIDER=@ai-sdk\/none is not installed: run npm install @ai-sdk\/none in \/.+$/,
    ],
    [{ MODEL_PROVIDER: 'Not A Name' }, /is no name of a package: use one such as @ai-sdk\/mistral$/],
    [{ MODEL_PROVIDER: './none.mjs' }, /is no file: give the path of a module/],
    [{ MODEL_PROVIDER: file('nothing.mjs') }, /is no provider of the AI SDK: it exports no function create…/],
    [{ MODEL_PROVIDER: file('broken.mjs') }, /cannot be loaded: no such thing$/],
    [{ MODEL_PROVIDER: file('odd.mjs') }, /what it makes is no language model$/],
    [{ MODEL_PROVIDER: file('throws.mjs') }, /makes no model any: set a region$/],
    [{ MODEL_PROVIDER: 'typebox' }, /is no provider of the AI SDK/],
    [
      { MODEL_PROVIDER_OPTIONS: '{"version":"v9"}' },
      /has the specification v9, and this version of Reprise knows v3 and v4: install another version of parts-provider\.ts$/,
    ],
    [{ MODEL_PROVIDER_OPTIONS: '[]' }, /^MODEL_PROVIDER_OPTIONS is no JSON object: use one such as/],
    [{ MODEL_PROVIDER: '', MODEL: '', MODEL_PROVIDER_OPTIONS: '{"a":1}' }, /is set without MODEL_PROVIDER/],
    [{ MODEL: '' }, /is set without MODEL: set that to the name of a model$/],
    [{ MODEL_DIALECT: 'mistral' }, /^MODEL_DIALECT=mistral means nothing beside MODEL_PROVIDER=/],
    [{ MODEL_BASE_URL: 'ftp://x' }, /^MODEL_BASE_URL=ftp:\/\/x is no http or https URL$/],
  ]
  for (const [more, says] of slips) {
    const message = await opened({ ...env, ...more }).then(
      () => 'it was opened',
      (error: Error) => `${error.name === 'Error' ? '' : error.name}${error.message}`,
    )
    t.match(message, says)
    t.notMatch(message, '\n')
  }
  const { code, stderr } = await refusedStart(t.testdir({}), { ...env, MODEL_PROVIDER: '@ai-sdk/none' })
  t.match(
    { code, stderr },
    { code: 2, stderr: /^reprise: MODEL_PROVIDER=@ai-sdk\/none is not installed: [^\n]+\n$/ },
  )
})

t.test('packages in every form are found', async t => {
  const model = '{ specificationVersion: "v3", provider: "x", doStream() {} }'
  const folder = t.testdir({
    'factory.cjs': `exports.createX = () => ({ languageModel: () => (${model}) })`,
    'default.mjs': `const provider = () => (${model}); export default provider`,
    'named.mjs': `export const createOther = () => 1; export const createNamed = () => () => (${model})`,
  })
  for (const name of ['factory.cjs', 'default.mjs', 'named.mjs']) {
    const { endpoint } = await opened({ ...env, MODEL_PROVIDER: path.join(folder, name) })
    t.equal(endpoint.dialect, `ai-sdk:${name}`)
  }
})

t.test('a package that sends by itself tells its errors', async t => {
  const failing = (fields: object) => `export default () => ({
    specificationVersion: 'v4',
    provider: 'x',
    doStream: async () => { throw Object.assign(new Error('in its own words'), ${JSON.stringify(fields)}) },
  })`
  const responseBody = '{"error":{"message":"no such field, sk-hidden"}}'
  const folder = t.testdir({
    'refused.mjs': failing({ statusCode: 400, responseBody, isRetryable: false }),
    'busy.mjs': failing({ statusCode: 503, responseBody: 'busy', isRetryable: true }),
    'unable.mjs': failing({}),
  })
  const ended = async (name: string) => {
    const more = { MODEL_PROVIDER: path.join(folder, name), MODEL_API_KEY: 'sk-hidden' }
    return (await stepOf(await opened({ ...env, ...more }))).end
  }
  t.match(await ended('refused.mjs'), {
    error: { message: "the model's endpoint answered 400: no such field, ***" },
  })
  t.match(await ended('busy.mjs'), { end: 'again' })
  t.match(await ended('unable.mjs'), {
    error: { message: 'unable.mjs cannot ask the model: in its own words' },
  })
})

t.test('the address is optional, and secrets of options are not shown', async t => {
  const secret = 'very-secret-value'
  const { url } = await serveParts(t, () => ({
    status: 403,
    headers: { 'content-type': 'application/json' },
    body: [JSON.stringify({ error: `${secret} is wrong` })],
  }))
  const options = JSON.stringify({ baseURL: url, headers: { authorization: secret } })
  const server = await serveHere(t, { ...env, MODEL_PROVIDER_OPTIONS: options })
  const asked = await server.api('POST', '/tasks', { user_message_content: 'x', stream: false })
  t.match(await asked.json(), { result: { error: { message: /403: \*\*\* is wrong/ } } })
})
