// The documents themselves: valid by their own specifications, complete, and as they lie in docs/.
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { publicEventSchemas } from '../../src/contract/events/public-events.ts'
import { frameSchemas } from '../../src/contract/frames.ts'
import { stepFrameSchemas } from '../../src/contract/responses.ts'
import { clientMessages, serverMessages } from '../../src/contract/socket.ts'
import { asyncApi } from '../../src/documents/asyncapi.ts'
import { components } from '../../src/documents/components.ts'
import { documentFiles, jsonSchemas } from '../../src/documents/files.ts'
import { openApi } from '../../src/documents/openapi.ts'
import { type Described, type Document, follow, holdTo, operationsOf, referencesIn } from './described.ts'

const plain = (value: object) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>
const openapi = plain(openApi()) as unknown as Document & Record<string, unknown>
const asyncapi = plain(asyncApi()) as unknown as { channels: Record<string, { messages: object }> } & Record<
  string,
  unknown
>

t.test('the files in docs/ are what the code gives: npm run documents', async t => {
  const docs = path.resolve(import.meta.dirname, '../../docs')
  const files = documentFiles()
  for (const [name, text] of Object.entries(files)) {
    t.ok(readFileSync(path.join(docs, name), 'utf8') === text, name)
  }
  const schemas = Object.keys(files).filter(name => name.startsWith('schemas/'))
  t.same(
    readdirSync(path.join(docs, 'schemas'))
      .map(name => `schemas/${name}`)
      .sort(),
    schemas.sort(),
  )
})

t.test('the OpenAPI document is valid by its specification', async t => {
  const check = async (document: object) => new Validator().validate(document as Record<string, unknown>)
  t.match(await check(openapi), { valid: true })
  t.match(await check({ ...openapi, info: {} }), { valid: false }, 'one that is wrong is not')
})

t.test('the AsyncAPI document is valid by its specification', async t => {
  const schema = createRequire(import.meta.url)('@asyncapi/specs/schemas/3.0.0-without-$id.json') as object
  const check = new Ajv({ strict: false, validateFormats: false }).compile(schema)
  t.equal(check(asyncapi), true, JSON.stringify(check.errors))
  t.equal(check({ ...asyncapi, operations: { send: { action: 'send' } } }), false, 'one that is wrong is not')
})

t.test('the JSON Schemas are valid, and take what they are for', async t => {
  for (const [name, schema] of Object.entries(jsonSchemas())) {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    t.equal(ajv.validateSchema(schema), true, name)
    const check = ajv.compile(schema)
    t.equal(check({ type: 'nothing' }), false)
  }
  const deleted = {
    type: 'TaskDeleted',
    timestamp: '2026-01-01T00:00:00.000Z',
    task_id: 't',
    session_id: 's',
  }
  const check = new Ajv2020({ strict: false, validateFormats: false }).compile(
    jsonSchemas()['public-events.json'] ?? {},
  )
  t.equal(check(deleted), true)
})

for (const [name, document] of Object.entries({ openapi, asyncapi, ...jsonSchemas() })) {
  t.test(`in ${name} every reference leads somewhere, and nothing lies there unused`, async t => {
    const references = new Set(referencesIn(document))
    t.ok(references.size > 5)
    for (const reference of references) t.ok(follow(document, reference), reference)
    const { components = {}, $defs = {} } = plain(document) as Record<string, Record<string, object>>
    const named = [
      ...Object.keys($defs).map(each => `#/$defs/${each}`),
      ...['schemas', 'responses', 'messages', 'parameters', 'headers'].flatMap(folder =>
        Object.keys(components[folder] ?? {}).map(each => `#/components/${folder}/${each}`),
      ),
    ]
    for (const each of named) t.ok(references.has(each), each)
  })
}

t.test('every field has a word, and every word a field', async t => {
  for (const [name, { schema, about, fields = {} }] of Object.entries(components)) {
    t.match(about, /\.$/, name)
    const { properties = {} } = schema as unknown as { properties?: object }
    t.same(Object.keys(fields).sort(), Object.keys(properties).sort(), name)
  }
})

t.test('every public event and every frame is a message of its streams', async t => {
  const messagesOf = (name: string) => Object.keys(asyncapi.channels[name]?.messages ?? {}).sort()
  t.same(messagesOf('events'), [...Object.keys(publicEventSchemas), 'Gap', 'Position'].sort())
  const frames = Object.keys(frameSchemas).sort()
  t.same(messagesOf('task'), frames)
  t.same(messagesOf('createdTask'), frames)
  t.same(messagesOf('step'), Object.keys(stepFrameSchemas).sort())
  const said = Object.keys(clientMessages).map(type => `say.${type}`)
  const heard = Object.keys(serverMessages).map(type => `hear.${type}`)
  t.same(messagesOf('socket'), [...said, ...heard].sort())
})

t.test('operations have names of their own, and every parameter of a path is described', async t => {
  const operations = operationsOf(openapi)
  const ids = operations.map(({ described }) => described.operationId)
  t.equal(new Set(ids).size, ids.length)
  for (const { path, described } of operations) {
    const inPath = described.parameters.filter(each => each.in === 'path').map(({ name }) => name)
    t.same(
      inPath,
      [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
      described.operationId,
    )
  }
})

t.test('every example fits its schema', async t => {
  const { operations, problemsOf, look, wrong, seen } = holdTo(openapi)
  const mediaOf = ({ responses, requestBody }: Described) =>
    [...Object.values(responses), requestBody ?? {}].flatMap(({ content = {} }) => Object.entries(content))
  let count = 0
  for (const { method, path, described } of operations) {
    const bodies = described.requestBody?.content['application/json']?.examples ?? {}
    for (const [type, { schema, examples = {} }] of mediaOf(described)) {
      for (const [name, { value }] of Object.entries(examples)) {
        count++
        if (type === 'application/json')
          t.same(problemsOf(schema, value), [], `${described.operationId} ${name}`)
        else {
          const headers = new Headers({ 'content-type': type, 'x-request-id': 'r', 'x-api-version': '1' })
          look(
            { method, url: path, body: Object.values(bodies)[0]?.value },
            { status: 200, headers, text: String(value) },
          )
        }
      }
    }
  }
  t.same(wrong, [])
  t.ok(count > 15 && seen.size >= 3)
})
