// Finds the words for people in what a server sends: an error in any of the usual forms, or a page.
import { isFields } from './heard.ts'

/** The greatest length of the words of a body, in characters. */
const longest = 500

/** The keys of an error that may hold words, the best one first. */
const keys = [
  'message',
  'error_description',
  'detail',
  'error',
  'errors',
  'msg',
  'title',
  'reason',
  'description',
]
/** An error holds its words at most this many levels deep. */
const deepest = 5

/** The words in a value; empty: there are none. An object without words is shown as JSON. */
export const wordsIn = (value: unknown, depth = 0): string => {
  if (typeof value === 'string') return value.trim()
  if (typeof value === 'number') return `${value}`
  if (depth > deepest) return ''
  if (Array.isArray(value)) {
    const all = value.slice(0, 10).map(item => wordsIn(item, depth + 1))
    return all.filter(words => words !== '').join('; ')
  }
  if (!isFields(value)) return ''
  for (const key of keys) {
    const words = wordsIn(value[key], depth + 1)
    if (words !== '') return words
  }
  return Object.keys(value).length === 0 ? '' : JSON.stringify(value)
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' }

const ofPage = (page: string): string =>
  page
    .replace(/<!--.*?(?:-->|$)/gs, ' ')
    .replace(/<(script|style|svg)\b.*?(?:<\/\1\s*>|$)/gis, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&([a-z]+|#39);/g, (entity, name: string) => entities[name] ?? entity)

const inLine = (text: string): string => text.replace(/[\s\p{Cc}\uFEFF]+/gu, ' ').trim()

/** A text as one line, cut where it is too long. */
export const shown = (text: string, most = longest): string => {
  const line = inLine(text.slice(0, 4 * most))
  return line.length <= most ? line : `${line.slice(0, most).replace(/[\ud800-\udbff]$/, '')} …`
}

/** The words of a body in JSON, of a page, or of a plain text, in one line; empty: there are none. */
export const wordsOfBody = (body: string): string => {
  try {
    return shown(wordsIn(JSON.parse(body)))
  } catch {
    return shown(/^[\s\uFEFF]*<[a-z!?]/i.test(body) ? ofPage(body.slice(0, 64 * 1024)) : body)
  }
}
