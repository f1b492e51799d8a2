// The type of the schemas of requests and answers, for code that reads these schemas as JSON Schema.

/** The part of JSON Schema that wire.ts uses, as TypeBox emits it. */
export type WireSchema = {
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'null'
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly WireSchema[]
  properties?: Record<string, WireSchema>
  required?: readonly string[]
  patternProperties?: Record<string, WireSchema>
  items?: WireSchema
  minItems?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  minimum?: number
  maximum?: number
}
