// The one form of a list that is not in the interface: a page of its entries, and the cursor of the next page.
import Type, { type TProperties, type TSchema } from 'typebox'
import { nullable } from './schema.ts'

/** A page of a list. `more`: what the list says about all its entries. */
export const listOf = <Entry extends TSchema, More extends TProperties = Record<never, TSchema>>(
  entry: Entry,
  more?: More,
) =>
  Type.Object({
    object: Type.Literal('list'),
    data: Type.Array(entry),
    has_more: Type.Boolean(),
    next_cursor: nullable(Type.String()),
    ...(more as More),
  })

/** What every answer of a list has, as a reader of any list sees it. */
export type List<Entry> = { object: 'list'; data: Entry[]; has_more: boolean; next_cursor: string | null }
