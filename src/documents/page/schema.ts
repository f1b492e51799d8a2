// Shows a JSON Schema as HTML for readers.
import type { Json } from '../schemas.ts'
import { code, line, table } from './html.ts'

/** The prefix of a schema's name in references, and in the address of its place on the page. */
export const schemaPrefix = '#schema-'

const link = (reference: string): string =>
  `<a href="${reference}">${reference.slice(schemaPrefix.length)}</a>`

const limits: Record<string, string> = {
  minimum: 'smallest value',
  maximum: 'largest value',
  minLength: 'smallest number of characters',
  maxLength: 'largest number of characters',
  maxItems: 'largest number of items',
  default: 'default',
  format: 'format',
}
const limitsOf = (schema: Json): string =>
  Object.entries(limits)
    .flatMap(([keyword, words]) => (keyword in schema ? [`${words} ${code(String(schema[keyword]))}`] : []))
    .join(', ')

/** The type in a few words, with links to named schemas. */
export const typeOf = (schema: Json): string => {
  if (typeof schema.$ref === 'string') return link(schema.$ref)
  if ('const' in schema) return code(JSON.stringify(schema.const))
  if (Array.isArray(schema.enum)) return schema.enum.map(value => code(JSON.stringify(value))).join(' ')
  if (Array.isArray(schema.anyOf)) return (schema.anyOf as Json[]).map(typeOf).join(' or ')
  if (schema.type === 'array') return `array of ${typeOf((schema.items ?? {}) as Json)}`
  if (schema.type === undefined) return 'anything'
  return String(schema.type)
}

/**
 * The object schema of a field: its own schema, the schema of its list's items, or the first one among alternatives.
 * The page describes the fields of this schema below the field.
 */
const inner = (schema: Json): Json | undefined => {
  if (schema.properties !== undefined) return schema
  const within = [schema.items, ...((schema.anyOf as Json[] | undefined) ?? [])].filter(
    part => part !== undefined,
  )
  return within.length === 0
    ? undefined
    : within.map(part => inner(part as Json)).find(schema => schema !== undefined)
}

export const fieldsOf = (schema: Json): string => {
  const required = new Set(schema.required as string[] | undefined)
  const rows = Object.entries((schema.properties ?? {}) as Record<string, Json>).map(([name, field]) => {
    const nested = field.$ref === undefined ? inner(field) : undefined
    const about = [
      typeof field.description === 'string' ? line(field.description) : '',
      limitsOf(field),
      nested === undefined ? '' : fieldsOf(nested),
    ]
    return [
      `${code(name)}${required.has(name) ? '' : ' <small>optional</small>'}`,
      typeOf(field),
      about.filter(part => part !== '').join('<br>'),
    ]
  })
  return table(['Field', 'Type', 'Meaning'], rows)
}

/** The section of a named schema. */
export const schemaSection = (name: string, schema: Json): string => {
  const { description, anyOf, properties } = schema
  const body =
    properties !== undefined
      ? fieldsOf(schema)
      : anyOf !== undefined
        ? `<ul>${(anyOf as Json[]).map(branch => `<li>${typeOf(branch)}${fieldsOf(branch)}</li>`).join('')}</ul>`
        : `<p>${typeOf(schema)}</p>`
  return `<details id="schema-${name}"><summary><span class="method schema">schema</span> ${code(name)} <span>${line(String(description ?? ''))}</span></summary>
${body}</details>`
}
