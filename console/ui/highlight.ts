// Finds the keywords, texts, numbers and comments of code. It is loaded when the first code of a known language is shown.
import highlighter from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import cpp from 'highlight.js/lib/languages/cpp'
import css from 'highlight.js/lib/languages/css'
import diff from 'highlight.js/lib/languages/diff'
import dockerfile from 'highlight.js/lib/languages/dockerfile'
import go from 'highlight.js/lib/languages/go'
import ini from 'highlight.js/lib/languages/ini'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import rust from 'highlight.js/lib/languages/rust'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'

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

const languages = {
  bash,
  cpp,
  css,
  diff,
  dockerfile,
  go,
  ini,
  java,
  javascript,
  json,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
}
const engine = highlighter.newInstance()
engine.configure({ __emitter: Pieces })
for (const [name, language] of Object.entries(languages)) engine.registerLanguage(name, language)
engine.registerAliases(['c'], { languageName: 'cpp' })

/** The pieces of code, which together are the code. Undefined: the language is not known. */
export const piecesOf = (code: string, language: string): readonly Piece[] | undefined => {
  if (engine.getLanguage(language) === undefined) return undefined
  const { _emitter, errorRaised } = engine.highlight(code, { language, ignoreIllegals: true })
  return errorRaised === undefined ? (_emitter as unknown as Pieces).pieces : undefined
}
