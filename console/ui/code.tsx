// A block of code in the colours of its language. Until these are known, and when there are none, it is plain.
import { type Signal, signal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { Copy } from './copy.tsx'
import type { Piece } from './highlight.ts'

/** Finds the pieces of code in one language. */
type Reader = (code: string) => readonly Piece[] | undefined
/** By the names of languages; undefined while it is loaded, or if nobody knows the language. */
const readers = new Map<string, Signal<Reader | undefined>>()

/** The reader of a language, which is loaded once. Without it, code stays plain. */
const readerOf = (name: string): Signal<Reader | undefined> => {
  const known = readers.get(name)
  if (known !== undefined) return known
  const reader = signal<Reader | undefined>(undefined)
  readers.set(name, reader)
  const load = async () => {
    const { loadLanguage, piecesOf } = await import('./highlight.ts')
    const language = await loadLanguage(name)
    if (language !== undefined) reader.value = code => piecesOf(code, language)
  }
  if (name !== '') load().catch(() => readers.delete(name)) // tried again with the next code
  return reader
}

/** Longer code, and code with longer lines, stays plain: somebody could write it so that its colours take seconds. */
const [mostCharacters, longestLine] = [20_000, 500]
const isShort = (code: string): boolean =>
  code.length <= mostCharacters && code.split('\n').every(line => line.length <= longestLine)

/** `language`: as somebody wrote it behind the fence. */
export const Code = ({ code, language }: { code: string; language: string }) => {
  const reader = useMemo(() => readerOf(language.toLowerCase()), [language]).value
  const pieces = useMemo(() => (isShort(code) ? reader?.(code) : undefined), [reader, code])
  return (
    <figure class="code-block">
      <figcaption>
        <span>{language}</span>
        <Copy label="Copy" text={() => code} />
      </figcaption>
      <pre>
        {pieces === undefined
          ? code
          : pieces.map(({ text, kind }, n) =>
              kind === undefined ? (
                text
              ) : (
                <span key={`${n}`} class={`is-${kind}`}>
                  {text}
                </span>
              ),
            )}
      </pre>
    </figure>
  )
}
