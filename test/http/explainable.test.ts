// A schema whose problems cannot be explained would give wrong answers to wrong bodies. The server compiles a schema when
// it needs it, so this is checked here and not at each start.
import t from 'tap'
import Type, { type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { clientMessages } from '../../src/contract/socket.ts'
import type { WireSchema } from '../../src/contract/wire-schema.ts'
import { operations } from '../../src/documents/operations.ts'
import { trusted } from '../../src/json-schema/checker.ts'
import { realWorld } from '../../src/platform/world.ts'
import { builtinTools } from '../../src/tools/builtin.ts'
import { unexplainableIn } from './explainable.ts'

const bodies = operations.flatMap(({ id, body }) => (body === undefined ? [] : [[id, body.schema] as const]))
const messages = Object.entries(clientMessages)

t.test('the schema of every body and of every message can be compiled and explained', async t => {
  t.ok(bodies.length > 10 && messages.length > 5)
  for (const [name, schema] of [...bodies, ...messages]) {
    t.same(unexplainableIn(schema as WireSchema), [], name)
    t.doesNotThrow(() => Compile(schema), name)
  }
})

t.test('what cannot be explained is found at any depth', async t => {
  const inList = (schema: TSchema) => unexplainableIn(Type.Array(schema) as WireSchema).join()
  t.match(inList(Type.Object({ toString: Type.String() })), /named "toString"/)
  t.match(inList(Type.Object({ constructor: Type.Optional(Type.String()) })), /named "constructor"/)
  t.match(inList(Type.String({ format: 'email' })), /"format"/)
  t.match(inList(Type.Object({}, { additionalProperties: false })), /"additionalProperties"/)
  t.equal(inList(Type.String({ title: 'T', description: 'D', default: '' })), '')
})

t.test('the schema of the arguments of every built-in tool can be compiled', async t => {
  for (const { definition } of builtinTools(realWorld())) {
    const { name, parameters } = definition.function
    t.doesNotThrow(() => trusted(parameters)({}), name)
  }
})
