// Makes a sample value for a field, with which a reader can begin to write a body.
import type { Json } from '../schemas.ts'

const byType: Record<string, unknown> = {
  string: '',
  integer: 0,
  number: 0,
  boolean: true,
  null: null,
}

/** `named` returns the schema to which a reference leads. */
export const sampleOf = (schema: Json, named: (reference: string) => Json | undefined): unknown => {
  if (typeof schema.$ref === 'string') {
    const target = named(schema.$ref)
    return target === undefined ? {} : sampleOf(target, named)
  }
  if ('default' in schema) return schema.default
  if ('const' in schema) return schema.const
  const [first] = [...((schema.enum as unknown[] | undefined) ?? [])]
  if (first !== undefined) return first
  const [branch] = (schema.anyOf as Json[] | undefined) ?? []
  if (branch !== undefined) return sampleOf(branch, named)
  if (schema.type === 'array') return []
  if (schema.type === 'integer' && typeof schema.minimum === 'number') return schema.minimum
  return byType[String(schema.type)] ?? {}
}
