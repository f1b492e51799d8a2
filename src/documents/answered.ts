import { headersWith } from './headers.ts'
import type { Answer, Operation } from './operation.ts'
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
export const answersOf = ({ answers }: Operation, schemas: Schemas) =>
  [...new Set(answers.map(({ status }) => status))].map((status): Refused => {
    const same = answers.filter(answer => answer.status === status)
    const content = same.flatMap(answer => (answer.type ? [[answer.type, contentOf(answer, schemas)]] : []))
    const response = {
      description: same.map(answer => answer.about).join('\n\n'),
      headers: headersWith(same.flatMap(answer => answer.headers ?? [])),
      ...(content.length === 0 ? {} : { content: Object.fromEntries(content) }),
    }
    return { status, response }
  })
