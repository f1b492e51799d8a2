// Finds the keywords, texts, numbers and comments of code. It is loaded with the first code that is shown, and each language
// with the first code in it.

import type { LanguageFn } from 'highlight.js'
import highlighter from 'highlight.js/lib/core'

/** A piece of code, and what it is, such as `keyword`; undefined: nothing in particular. */
export type Piece = { text: string; kind: string | undefined }

/** Collects the pieces, in place of the HTML that the library makes by itself. */
class Pieces {
  readonly pieces: Piece[] = []
  readonly #kinds: string[] = []
  startScope(name: string): void {
    this.#kinds.push(name)
  }
  endScope(): void {
    this.#kinds.pop()
  }
  // The library calls both names.
  openNode(name: string): void {
    this.startScope(name)
  }
  closeNode(): void {
    this.endScope()
  }
  addText(text: string): void {
    const kind = this.#kinds.at(-1)?.split('.')[0]
    const last = this.pieces.at(-1)
    if (last !== undefined && last.kind === kind) last.text += text
    else if (text !== '') this.pieces.push({ text, kind })
  }
  __addSublanguage(inner: Pieces): void {
    this.pieces.push(...inner.pieces)
  }
  toHTML(): string {
    return ''
  }
  finalize(): void {}
}

type Language = () => Promise<{ default: LanguageFn }>
/** The names of each language behind a fence, the first one being its own, and how it is loaded. */
const languages: readonly [string, Language][] = [
  ['bash sh zsh shell', () => import('highlight.js/lib/languages/bash')],
  ['cpp c h cc hh cxx hpp hxx c++ h++', () => import('highlight.js/lib/languages/cpp')],
  ['css', () => import('highlight.js/lib/languages/css')],
  ['diff patch', () => import('highlight.js/lib/languages/diff')],
  ['dockerfile docker', () => import('highlight.js/lib/languages/dockerfile')],
  ['go golang', () => import('highlight.js/lib/languages/go')],
  ['ini toml', () => import('highlight.js/lib/languages/ini')],
  ['java', () => import('highlight.js/lib/languages/java')],
  ['javascript js jsx mjs cjs', () => import('highlight.js/lib/languages/javascript')],
  ['json jsonc json5', () => import('highlight.js/lib/languages/json')],
  ['python py', () => import('highlight.js/lib/languages/python')],
  ['rust rs', () => import('highlight.js/lib/languages/rust')],
  ['sql', () => import('highlight.js/lib/languages/sql')],
  ['typescript ts tsx mts cts', () => import('highlight.js/lib/languages/typescript')],
  ['xml html xhtml svg rss atom xsd xsl plist', () => import('highlight.js/lib/languages/xml')],
  ['yaml yml', () => import('highlight.js/lib/languages/yaml')],
]
/** What stands inside of code in a language is code in these languages. */
const within: Record<string, readonly string[]> = { xml: ['css', 'javascript'] }

const engine = highlighter.newInstance()
engine.configure({ __emitter: Pieces })

/** Loads the language that is called `name` behind a fence. Resolves to its own name; undefined: nobody knows it. */
export const loadLanguage = async (name: string): Promise<string | undefined> => {
  const [names, load] = languages.find(([names]) => names.split(' ').includes(name)) ?? []
  const own = names?.split(' ')[0]
  if (own === undefined || load === undefined) return undefined
  if (engine.getLanguage(own) !== undefined) return own
  const [language] = await Promise.all([load(), ...(within[own] ?? []).map(loadLanguage)])
  engine.registerLanguage(own, language.default)
  return own
}

/** The pieces of code, which together are the code. `language`: its own name. Undefined: the language cannot read the code. */
export const piecesOf = (code: string, language: string): readonly Piece[] | undefined => {
  const { _emitter, errorRaised } = engine.highlight(code, { language, ignoreIllegals: true })
  return errorRaised === undefined ? (_emitter as unknown as Pieces).pieces : undefined
}
