// Writes the types of the client for Python (python/reprise/types.py), and its client without asyncio, which is made from the one
// with asyncio (python/reprise/_sync.py).
import { clientSchemas } from './schemas.ts'
import { generated, type Schema } from './typescript.ts'

const plain: Record<string, string> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
}
const keywords = /^(from|not|is|in|for|class|global|return|import|pass|and|or)$/
const capital = (name: string): string =>
  name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
const quoted = (name: string): string => `"${name}"`
const text = (value: unknown): string => (value === true ? 'True' : JSON.stringify(value))
const about = (words: unknown, indent: string): string =>
  `${indent}"""${String(words).replaceAll('\\', '\\\\')}"""\n`

/** Writes named schemas, and gives a name to each object within them. */
const writer = () => {
  const written: string[] = []

  /** The type of a schema. `name`: the name for an object that has none. `isTaken`: the schema itself has this name. */
  const typeOf = (schema: Schema, name: string, isTaken = false): string => {
    if (schema.$ref !== undefined) return quoted(schema.$ref.slice('#/'.length))
    if (schema.const !== undefined) return `Literal[${text(schema.const)}]`
    if (schema.enum !== undefined) return `Literal[${schema.enum.map(text).join(', ')}]`
    if (schema.anyOf !== undefined) {
      const nameOf = (n: number) => (n === 0 && !isTaken ? name : `${name}${n + 1}`)
      return `Union[${[...new Set(schema.anyOf.map((each, n) => typeOf(each, nameOf(n))))].join(', ')}]`
    }
    if (schema.type === 'array') return `List[${typeOf(schema.items ?? {}, `${name}Entry`)}]`
    if (isOpen(schema)) return 'Dict[str, Any]'
    if (schema.properties === undefined) return plain[schema.type ?? ''] ?? 'Any'
    writeObject(name, schema)
    return quoted(name)
  }

  const writeObject = (name: string, schema: Schema): void => {
    const { properties = {}, required = [], description } = schema
    const fields = Object.entries(properties).map(([field, value]) => ({
      field,
      type: typeOf(value, `${name}${capital(field)}`),
      isRequired: required.includes(field),
      words: value.description,
    }))
    if (fields.some(({ field }) => keywords.test(field))) {
      const pairs = fields.map(
        ({ field, type }) =>
          `    "${field}": ${type.startsWith('"') ? type : quoted(type.replaceAll('"', "'"))},\n`,
      )
      written.push(
        `${name} = TypedDict(\n    "${name}",\n    {\n${pairs.map(pair => `    ${pair}`).join('')}    },\n    total=False,\n)\n`,
      )
      return
    }
    const lines = (isRequired: boolean) =>
      fields
        .filter(each => each.isRequired === isRequired)
        .map(
          ({ field, type, words }) =>
            `    ${field}: ${type}\n${words === undefined ? '' : about(words, '    ')}`,
        )
    const [must, may] = [lines(true), lines(false)]
    const says = description === undefined ? '' : about(description, '    ')
    const body = (parts: string[], words = '') =>
      `${words}${words === '' || parts.length === 0 ? '' : '\n'}${parts.join('')}`
    if (must.length === 0)
      written.push(`class ${name}(TypedDict, total=False):\n${body(may, says) || '    pass\n'}`)
    else if (may.length === 0) written.push(`class ${name}(TypedDict):\n${body(must, says)}`)
    else
      written.push(
        `class _${name}(TypedDict):\n${body(must)}`,
        `class ${name}(_${name}, total=False):\n${body(may, says)}`,
      )
  }

  return {
    named(name: string, schema: Schema): void {
      const type = typeOf(schema, name, true)
      if (type === quoted(name)) return // an object, which is written already
      const words = schema.description === undefined ? '' : about(schema.description, '')
      written.push(`${name} = ${type}\n${words}`)
    },
    text: () => written.join('\n\n'),
  }
}
const isOpen = ({ type, properties, additionalProperties }: Schema): boolean =>
  type === 'object' && (properties === undefined || (additionalProperties ?? false) !== false)

/** What a task is to do: the body of a create without the fields that say how the answer comes. */
const taskBody = ({ properties, required, ...body }: Schema): Schema => {
  const { stream: _, background: __, on_disconnect: ___, ...rest } = properties ?? {}
  return {
    ...body,
    description: 'What a task is to do. The client decides how the answer comes.',
    required: (required ?? []).filter(name => name !== 'stream'),
    properties: rest,
  }
}

/** The file python/reprise/types.py. */
export const pythonTypesFile = (): string => {
  const { named, text } = writer()
  const schemas = clientSchemas() as Record<string, Schema>
  for (const [name, schema] of Object.entries(schemas)) named(name, schema)
  named('TaskBody', taskBody(schemas.CreateTaskBody ?? {}))
  return `"""The objects of requests and answers. ${generated}"""

from __future__ import annotations

from typing import Any, Dict, List, Literal, TypedDict, Union


${text()}`
}

/** What is written otherwise in a client that waits in the thread of its caller. */
const waitsInThread: [RegExp, string][] = [
  [
    /^"""AsyncReprise: .*$/m,
    '"""Reprise: the client that waits in the thread of its caller. Written by `npm run documents` from _async.py."""',
  ],
  [/^ {4}Awaitable,\n/m, ''],
  [/\bAwaitable\[(\w+)\]/g, '$1'],
  [/\basync (def|for|with)\b/g, '$1'],
  [/\bawait /g, ''],
  [/\bAsyncIterator\b/g, 'Iterator'],
  [/\b__aiter__\b/g, '__iter__'],
  [/\bAsync(?=[A-Z])/g, ''],
  [/\b_async_io\b/g, '_sync_io'],
]

/** The file python/reprise/_sync.py, from the text of _async.py. */
export const pythonSyncFile = (source: string): string =>
  waitsInThread.reduce((text, [pattern, other]) => text.replace(pattern, other), source)
