// Reads a text as Markdown, in blocks. A text that grows is read again only from its last blocks on, so a long message can
// be drawn with each piece that arrives. Anybody may have written the text: HTML in it stays text.
import MarkdownIt, { type Env, type Token } from 'markdown-it'

/**
 * A paragraph, a list, a table, a block of code and so on. A block that has not changed stays the same object. `at`: where
 * it begins in the text. `isApart`: nothing before it changes when it becomes another kind of block.
 */
export type Block = { at: number; isApart: boolean; tokens: Token[] }
/** `hasReferences`: the text defines links elsewhere than where it uses them, so no block stands alone. */
export type Blocks = { text: string; blocks: readonly Block[]; hasReferences: boolean }

/**
 * Longer texts, and texts with more parts, are shown as they are: the browser would take seconds to draw them. So are texts
 * with lists and quotes inside each other to a greater depth, whose inner part the library would leave out.
 */
const mostCharacters = 300_000
const mostParts = 20_000
const deepest = 60

/**
 * A line under a text is no heading: while `- a list` arrives, its first character would make a heading of the line above
 * it. A single line break is one, as chats have it.
 */
const reader = new MarkdownIt({ html: false, linkify: true, breaks: true, maxNesting: deepest + 2 }).disable(
  'lheading',
)
// Without http://, a name with a dot is more often a file than a site.
reader.linkify.set({ fuzzyLink: false, fuzzyEmail: false })

const nothing: Blocks = { text: '', blocks: [], hasReferences: false }

/** `start`: the offset of the text in the whole text. */
const read = (text: string, start = 0): Blocks => {
  const env: Env = {}
  const lines = text.split('\n')
  const blocks: Block[] = []
  let [line, at] = [0, start]
  for (const token of reader.parse(text, env)) {
    if (token.level === 0 && token.nesting >= 0) {
      for (; line < (token.map?.[0] ?? 0); line++) at += (lines[line]?.length ?? 0) + 1
      // After a list, a text such as `2` may become its next item.
      const isAfterList = blocks.at(-1)?.tokens[0]?.type.endsWith('list_open') === true
      const isApart = line === 0 || (lines[line - 1]?.trim() === '' && !isAfterList)
      blocks.push({ at, isApart, tokens: [] })
    }
    blocks.at(-1)?.tokens.push(token)
  }
  return { text, blocks, hasReferences: Object.keys(env.references ?? {}).length > 0 }
}

/** The blocks of a longer text that begins with the text of these blocks. */
const grown = (before: Blocks, text: string): Blocks => {
  const kept = Math.max(
    0,
    before.blocks.findLastIndex(({ isApart }) => isApart),
  )
  const from = before.blocks[kept]?.at ?? 0
  const rest = read(text.slice(from), from)
  if (from > 0 && rest.hasReferences) return read(text)
  return { ...rest, text, blocks: [...before.blocks.slice(0, kept), ...rest.blocks] }
}

/** The blocks of a text. `before`: those of an earlier state of it. Undefined: the text is too long to be rendered. */
export const blocksOf = (given: string, before: Blocks = nothing): Blocks | undefined => {
  if (given.length > mostCharacters) return undefined
  const text = given.replace(/\r\n?/g, '\n').replaceAll('\0', '\ufffd')
  if (text === before.text) return before
  const isGrown = text.startsWith(before.text) && !before.hasReferences
  const found = isGrown ? grown(before, text) : read(text)
  const parts = found.blocks.reduce((sum, { tokens }) => sum + tokens.length, 0)
  const isDeep = found.blocks.some(({ tokens }) => tokens.some(({ level }) => level > deepest))
  return parts > mostParts || isDeep ? undefined : found
}

/** Marks without which no text looks different as Markdown. */
const marks = /[*_`#|~[\\&]|https?:|^[ \t]*([-+>]|\d{1,9}[.)])[ \t]|^( {4}|\t)|^---/m
const inPlain = new Set(['paragraph_open', 'paragraph_close', 'text', 'softbreak', 'hardbreak'])
const isPlain = ({ type, content, children }: Token): boolean => {
  if (children === null) return inPlain.has(type)
  const shown = children.map(child => (child.type === 'text' ? child.content : '\n')).join('')
  return children.every(isPlain) && shown === content.replace(/[ \t]*\n[ \t]*/g, '\n')
}

/** Whether a text looks different as Markdown. While it grows, this is only a guess, which costs less. */
export const isMarked = (text: string, isGrowing: boolean): boolean => {
  if (!marks.test(text) || isGrowing) return marks.test(text)
  return !(blocksOf(text)?.blocks.every(({ tokens }) => tokens.every(isPlain)) ?? true)
}

/** A line of which nobody can say yet what it will be: only marks of a list, a heading or a quote, or half a fence. */
const undecided = /(^|\n)[ \t]*(?:[-+*_#>|=~:]+|\d{1,9}[.)]|(?:`{3,}|~{3,})[^\n`]*|`{1,2})[ \t]*$/

/** Whether a text ends inside a block of code, as far as its fences tell. */
const isInFence = (text: string): boolean => (text.match(/^[ \t]*(```|~~~)/gm)?.length ?? 0) % 2 === 1

/**
 * A text that still grows, without its last characters if these would be drawn as something else a moment later, and with
 * the ends of the code and of the bold words that it has begun.
 */
export const steady = (text: string): string => {
  if (text.length > mostCharacters) return text
  const sure = text.replace(undecided, '$1')
  if (isInFence(sure)) return sure
  const last = sure.slice(sure.lastIndexOf('\n\n') + 1)
  if (last.split('`').length % 2 === 0) return `${sure}\``
  const open = sure.replace(/\*{1,3}$/, '')
  const bold = last.split('**')
  const isBold = bold.length % 2 === 0 && /^\S/.test(bold.at(-1) ?? '')
  return isBold ? `${open.trimEnd()}**` : open
}
