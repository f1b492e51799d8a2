// Converts TypeBox values to the JSON Schemas of a document: named schemas become references, fields get descriptions,
// and unusual forms of TypeBox become the usual ones. What a schema accepts stays the same.
import type { TSchema } from 'typebox'
import type { Component } from './component.ts'
import { components } from './components.ts'

export type Json = { [key: string]: unknown }

const jsonText = (schema: unknown): string => JSON.stringify(schema)

/**
 * The name of each schema, by its JSON text. The text is the key and not the object, because an optional field holds a
 * copy of its schema.
 */
const namesByText = new Map(Object.entries(components).map(([name, { schema }]) => [jsonText(schema), name]))
if (namesByText.size !== Object.keys(components).length)
  throw new Error('two components have the same schema: give each schema only one name')

const mapValues = <T>(fields: object, map: (value: T, key: string) => unknown): Json =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, map(value, key)]))

/** The form of TypeBox schemas, as far as the contract uses it. */
type Written = Json & {
  anyOf?: Json[]
  items?: Json
  properties?: Json
  patternProperties?: Json
  enum?: string[]
}

/**
 * Writes the schemas of one document, and keeps every named schema that they refer to. `prefix` comes before the name
 * in a reference; `tagged` adds the field that distinguishes the branches of a union, as OpenAPI does.
 */
export const schemaWriter = (prefix: string, { tagged = false } = {}) => {
  const used = new Set<string>()

  const write = (schema: unknown): Json => {
    const name = namesByText.get(jsonText(schema))
    if (name === undefined) return spellOut(schema as Written)
    used.add(name)
    return { $ref: `${prefix}${name}` }
  }

  const spellOut = (schema: Written, { fields, open }: Partial<Component> = {}): Json => {
    const { anyOf, items, properties, patternProperties, enum: values, ...rest } = schema
    const field = (value: unknown, key: string) => {
      const description = fields?.[key]
      return description === undefined ? write(value) : { ...write(value), description }
    }
    const branches = anyOf?.map(write)
    return {
      ...(values && { type: 'string', enum: values }), // every enum of the contract holds texts
      ...rest,
      ...(properties && { properties: mapValues(properties, field) }),
      // The keys of a record are arbitrary, and its values have one type.
      ...(patternProperties && {
        additionalProperties: orAnything(write(Object.values(patternProperties)[0])),
      }),
      ...(open && { additionalProperties: true }),
      ...(items && { items: write(items) }),
      ...(branches && { anyOf: branches, ...(tagged && discriminator(anyOf as Written[], branches)) }),
    }
  }

  const named = (name: string): Json => {
    const component = components[name] as Component
    const { schema, about } = component
    return { title: name, description: about, ...spellOut(schema as unknown as Written, component) }
  }

  return {
    of: (schema: TSchema): Json => write(schema),
    /** Every schema that is the target of a reference. */
    named(): Json {
      const written: Json = {}
      for (const name of used) written[name] = named(name) // the set grows during the loop
      return Object.fromEntries(
        Object.keys(components).flatMap(name => (name in written ? [[name, written[name]]] : [])),
      )
    },
  }
}

const orAnything = (schema: Json): Json | true => (Object.keys(schema).length === 0 ? true : schema)

/** The discriminator of a union. It is empty unless every branch is a named schema with its own `type`. */
const discriminator = (branches: Written[], references: Json[]): Json => {
  const types = branches.map(({ properties }) => (properties?.type as Json | undefined)?.const)
  const targets = references.map(({ $ref }) => $ref)
  if ([...types, ...targets].some(part => typeof part !== 'string')) return {}
  const mapping = Object.fromEntries(types.map((type, n) => [type, targets[n]]))
  return { discriminator: { propertyName: 'type', mapping } }
}
