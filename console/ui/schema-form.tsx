// A form made from a JSON Schema. What the form cannot show as fields is written as JSON.

import { type Signal, signal } from '@preact/signals'
import { readJson } from '../../src/contract/json/exact-json.ts'
import { bound } from './bound.ts'

export type Schema = {
  type?: string | string[]
  title?: string
  description?: string
  enum?: unknown[]
  default?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isText = (value: unknown): value is string => typeof value === 'string'

/** The fields of a schema that have the form that JSON Schema gives them. Whoever wrote the schema may have written anything. */
export const schemaIn = (given: unknown): Schema => {
  const {
    type,
    title,
    description,
    enum: choices,
    properties,
    required,
    items,
    ...rest
  } = isObject(given) ? given : {}
  return {
    ...('default' in rest ? { default: rest.default } : {}),
    ...(isText(type) || (Array.isArray(type) && type.every(isText)) ? { type } : {}),
    ...(isText(title) ? { title } : {}),
    ...(isText(description) ? { description } : {}),
    ...(Array.isArray(choices) ? { enum: choices } : {}),
    ...(isObject(properties) ? { properties: properties as Record<string, Schema> } : {}),
    ...(Array.isArray(required) ? { required: required.filter(isText) } : {}),
    ...(isObject(items) ? { items: items as Schema } : {}),
  }
}

type Kind = 'object' | 'boolean' | 'number' | 'choice' | 'text' | 'json'
const kindOf = ({ type, enum: choices, properties }: Schema): Kind => {
  if (choices !== undefined) return 'choice'
  const named = [type].flat().find(one => one !== 'null')
  if (named === 'object' && properties !== undefined) return 'object'
  if (named === 'boolean') return 'boolean'
  if (named === 'number' || named === 'integer') return 'number'
  return named === 'string' ? 'text' : 'json'
}

/** A field with what its user has written; an object has a field for each property. */
export type Field = {
  name: string
  schema: Schema
  kind: Kind
  isRequired: boolean
  text: Signal<string>
  fields: Field[]
}

const textOf = (kind: Kind, value: unknown): string => {
  if (value === undefined) return kind === 'boolean' ? 'false' : ''
  return kind === 'text' && typeof value === 'string' ? value : JSON.stringify(value)
}

export const createField = (given: Schema, name = '', isRequired = true): Field => {
  const schema = schemaIn(given)
  const kind = kindOf(schema)
  return {
    name,
    schema,
    kind,
    isRequired,
    text: signal(textOf(kind, schema.default)),
    fields:
      kind === 'object'
        ? Object.entries(schema.properties ?? {}).map(([key, inner]) =>
            createField(inner, key, schema.required?.includes(key) ?? false),
          )
        : [],
  }
}

/** The value that a form gives; undefined for a field that was left empty. Throws SyntaxError for what is no JSON. */
export const answerOf = ({ kind, text, fields, name }: Field): unknown => {
  if (kind === 'object')
    return Object.fromEntries(
      fields.flatMap(field => {
        const value = answerOf(field)
        return value === undefined ? [] : [[field.name, value]]
      }),
    )
  if (text.value === '') return undefined
  if (kind === 'text') return text.value
  try {
    return readJson(text.value)
  } catch {
    throw new SyntaxError(`${name === '' ? 'the answer' : name} must be JSON`)
  }
}

const Label = ({ field }: { field: Field }) => (
  <span>
    {field.schema.title ?? (field.name === '' ? 'Answer' : field.name)}
    {!field.isRequired && <small> optional</small>}
    {field.schema.description !== undefined && <small> {field.schema.description}</small>}
  </span>
)

const Input = ({ field }: { field: Field }) => {
  const { kind, text, schema, isRequired } = field
  if (kind === 'number') return <input type="number" step="any" required={isRequired} {...bound(text)} />
  if (kind === 'text') return <input type="text" required={isRequired} {...bound(text)} />
  if (kind === 'json')
    return <textarea class="code" rows={3} placeholder="JSON" required={isRequired} {...bound(text)} />
  return (
    <select required={isRequired} {...bound(text)}>
      <option value="">Choose…</option>
      {(schema.enum ?? []).map(choice => (
        <option key={JSON.stringify(choice)} value={JSON.stringify(choice)}>
          {typeof choice === 'string' ? choice : JSON.stringify(choice)}
        </option>
      ))}
    </select>
  )
}

export const SchemaForm = ({ field }: { field: Field }) => {
  const { kind, text, fields, name } = field
  if (kind === 'object')
    return (
      <fieldset class="schema">
        <legend class={name === '' ? 'unseen' : ''}>
          {field.schema.title ?? (name === '' ? 'Answer' : name)}
        </legend>
        {fields.map(inner => (
          <SchemaForm key={inner.name} field={inner} />
        ))}
      </fieldset>
    )
  if (kind === 'boolean')
    return (
      <label class="check">
        <input
          type="checkbox"
          checked={text.value === 'true'}
          onChange={({ currentTarget }) => {
            text.value = String(currentTarget.checked)
          }}
        />
        <Label field={field} />
      </label>
    )
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is in Input
    <label>
      <Label field={field} />
      <Input field={field} />
    </label>
  )
}
