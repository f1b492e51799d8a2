// Joins the pieces of the extras that an endpoint wants back beside texts and calls, such as `reasoning_details` of OpenRouter:
// https://openrouter.ai/docs/use-cases/reasoning-tokens#preserving-reasoning-blocks
import { type Fields, fieldsOf, listOf } from './endpoint-values.ts'

/** Fields of messages that go back. Others, such as search results, are no part of the conversation. */
const wanted = [
  ...['reasoning_details', 'extra_content', 'thought_signature', 'signature', 'encrypted_content'],
  ...['reasoning_signature', 'reasoning_encrypted', 'thinking_blocks', 'provider_specific_fields'],
]
/** Fields whose pieces are parts of one text. */
const growing = new Set(['text', 'summary', 'data', 'thinking'])

/** Two pieces of one detail have the same place, and no other type. */
const isSame = (a: Fields, b: Fields): boolean =>
  a.type === b.type && (a.index === b.index || b.index === undefined) && (a.id ?? b.id) === (b.id ?? a.id)

/** A field with more of it. */
const grown = (name: string, before: unknown, more: unknown): unknown => {
  if (more === null) return before ?? more
  const isText = growing.has(name) && typeof before === 'string' && typeof more === 'string'
  return isText ? before + more : more
}
const joined = (a: Fields, b: Fields): Fields => {
  const more = Object.entries(b).map(([name, value]) => {
    const before = Object.hasOwn(a, name) ? a[name] : undefined
    return [name, grown(name, before, value)] as const
  })
  return { ...a, ...Object.fromEntries(more) }
}

const addTo = (details: Fields[], piece: Fields): void => {
  const at = details.findLastIndex(detail => isSame(detail, piece))
  // A detail with a signature is whole, unless the piece says its place.
  const isWhole = piece.index === undefined && Boolean(details[at]?.signature)
  if (at < 0 || isWhole) details.push(piece)
  else details[at] = joined(details[at] as Fields, piece)
}

export const createExtras = () => {
  let extras: Fields | undefined
  return {
    hear(said: Fields): void {
      for (const name of wanted) {
        const value = said[name]
        if (value === undefined || value === null || value === '') continue
        extras ??= {}
        if (!Array.isArray(value)) extras[name] = value
        else {
          const details = (Array.isArray(extras[name]) ? extras[name] : []) as Fields[]
          for (const piece of value) addTo(details, fieldsOf(piece))
          if (details.length > 0) extras[name] = details
        }
      }
    },
    fields: () => extras,
  }
}

/** The text of reasoning in details, for endpoints that send it nowhere else. */
export const detailText = (said: Fields): string =>
  listOf(said.reasoning_details)
    .map(detail => fieldsOf(detail))
    .map(({ text, summary }) => [text, summary].find(each => typeof each === 'string') ?? '')
    .join('')
