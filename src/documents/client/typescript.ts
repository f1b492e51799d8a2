// Writes JSON Schemas as types of TypeScript: the file library/client/types.ts.
import type { Json } from '../schemas.ts'
import { clientSchemas } from './schemas.ts'

export const generated = 'Written by `npm run documents`, from the schemas of the server.'

/** The parts of JSON Schema that the documents use. */
export type Schema = Json & {
  $ref?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  type?: string
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  description?: string
}

const plain: Record<string, string> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
}
const key = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`)
const text = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value)
const indented = (lines: string): string => lines.replaceAll('\n', '\n  ')

const objectOf = ({ properties = {}, required = [], additionalProperties }: Schema): string => {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const { description } = schema
    const about = description === undefined ? '' : `/** ${description} */\n`
    return `${about}${key(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}`
  })
  const isOpen = additionalProperties !== undefined && additionalProperties !== false
  if (fields.length === 0) return `Record<string, ${isOpen ? typeOfOthers(additionalProperties) : 'unknown'}>`
  // A value of any type, since the fields with names have types of their own.
  const others = isOpen ? ['[key: string]: unknown'] : []
  return `{\n  ${[...fields, ...others].map(indented).join('\n  ')}\n}`
}
const typeOfOthers = (schema: true | Schema): string => (schema === true ? 'unknown' : typeOf(schema))

const typeOf = (schema: Schema): string => {
  if (schema.$ref !== undefined) return schema.$ref.slice('#/'.length)
  if (schema.const !== undefined) return text(schema.const)
  if (schema.enum !== undefined) return schema.enum.map(text).join(' | ')
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(' | ')
  if (schema.type === 'array') {
    const item = typeOf(schema.items ?? {})
    return item.includes(' | ') && !item.startsWith('{') ? `(${item})[]` : `${item}[]`
  }
  if (schema.type === 'object' || schema.properties !== undefined) return objectOf(schema)
  return plain[schema.type ?? ''] ?? 'unknown'
}

/** The file library/client/types.ts. */
export const typesFile = (): string => {
  const types = Object.entries(clientSchemas()).map(
    ([name, schema]) =>
      `/** ${(schema as Schema).description} */\nexport type ${name} = ${typeOf(schema as Schema)}\n`,
  )
  return `// The objects of requests and answers. ${generated}\n\n${types.join('\n')}`
}
