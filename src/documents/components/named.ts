// Makes components for a family of messages. Each component is named after the `type` of its message.
import type { TObject } from 'typebox'
import type { Components } from '../component.ts'

/** `task.output_item.added` as the name of a schema: `TaskOutputItemAddedFrame`. */
export const frameName = (type: string): string =>
  `${type.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}Frame`
export const eventName = (type: string): string => `${type}Event`

const only = (words: Record<string, string>, properties: object) =>
  Object.fromEntries(Object.entries(words).filter(([name]) => name in properties))

export const named = <T extends string>(
  schemas: Record<T, TObject>,
  words: Record<T, string>,
  fields: Record<string, string>,
  nameOf: (type: string) => string,
): Components =>
  Object.fromEntries(
    Object.entries<TObject>(schemas).map(([type, schema]) => [
      nameOf(type),
      { schema, about: words[type as T], fields: only(fields, schema.properties) },
    ]),
  )
