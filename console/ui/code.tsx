// A block of code in the colours of its language. Until these are known, and when there are none, it is plain.
import { signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { Copy } from './copy.tsx'

type Highlight = typeof import('./highlight.ts')
const highlight = signal<Highlight | undefined>(undefined)
let isAsked = false
/** Loads the colours once. Without them, code stays plain. */
const load = (): void => {
  if (isAsked) return
  isAsked = true
  void import('./highlight.ts').then(
    loaded => {
      highlight.value = loaded
    },
    () => {
      isAsked = false
    },
  )
}

/** Longer code, and code with longer lines, stays plain: somebody could write it so that its colours take seconds. */
const [mostCharacters, longestLine] = [20_000, 500]
const isShort = (code: string): boolean =>
  code.length <= mostCharacters && code.split('\n').every(line => line.length <= longestLine)

/** `language`: as somebody wrote it behind the fence. */
export const Code = ({ code, language }: { code: string; language: string }) => {
  const name = language.toLowerCase()
  const loaded = highlight.value
  const pieces = useMemo(
    () => (loaded !== undefined && name !== '' && isShort(code) ? loaded.piecesOf(code, name) : undefined),
    [loaded, code, name],
  )
  useEffect(() => {
    if (name !== '') load()
  }, [name])
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
