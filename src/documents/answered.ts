import { type Answer, headers, type Operation } from './operation.ts'
import type { Refused } from './refused.ts'
import type { Json, schemaWriter } from './schemas.ts'

type Schemas = ReturnType<typeof schemaWriter>

const contentOf = ({ schema, items, examples }: Answer, schemas: Schemas): Json => ({
  schema: schema === undefined ? { type: 'string' } : schemas.of(schema),
  // The OpenAPI 3.2 keyword for the schema of each event or line.
  ...(items && { 'x-itemSchema': schemas.of(items) }),
  ...(examples && {
    examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])),
  }),
})

/** The answers of an operation, by status. Answers of several media types may share one status. */
export const answersOf = ({ answers }: Operation, schemas: Schemas, common: Json) =>
  [...new Set(answers.map(({ status }) => status))].map((status): Refused => {
    const same = answers.filter(answer => answer.status === status)
    const names = same.flatMap(answer => answer.headers ?? [])
    const own = names.map(name => [name, { description: headers[name], schema: { type: 'string' } }])
    const content = same.flatMap(answer => (answer.type ? [[answer.type, contentOf(answer, schemas)]] : []))
    const response = {
      description: same.map(answer => answer.about).join('\n\n'),
      headers: { ...common, ...Object.fromEntries(own) },
      ...(content.length === 0 ? {} : { content: Object.fromEntries(content) }),
    }
    return { status, response }
  })
