// The content of a message: texts, images, sounds and files. A text is shown as it was written, or as Markdown.
import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { ContentPart, MessageContent } from '../../src/contract/wire.ts'
import { Copy } from '../ui/copy.tsx'
import { Markdown, Plain } from '../ui/markdown.tsx'
import { isMarked } from '../ui/markdown-blocks.ts'
import { Image, Outside } from '../ui/outside.tsx'

export type Form = 'text' | 'rendered'

/** `isGrowing`: more of the text will come. */
type Props = { content: MessageContent; as?: Form; isGrowing?: boolean }

const Text = ({ text, as, isGrowing = false }: { text: string } & Omit<Props, 'content'>) =>
  as === 'rendered' ? <Markdown text={text} isGrowing={isGrowing} /> : <Plain text={text} />

const Part = ({ part, ...how }: { part: ContentPart } & Omit<Props, 'content'>) => {
  if (typeof part === 'string') return <Text text={part} {...how} />
  if ('text' in part) return <Text text={part.text} {...how} />
  if ('image_url' in part) return <Image url={part.image_url.url} />
  if ('input_audio' in part) {
    const { data, format } = part.input_audio
    // biome-ignore lint/a11y/useMediaCaption: nobody has written captions for a sound of a task
    return <audio controls src={`data:audio/${format.replace(/\W/g, '')};base64,${data}`} />
  }
  const { filename, file_url } = part.file
  return <Outside url={file_url ?? ''}>File {filename}</Outside>
}

export const Content = ({ content, ...how }: Props): ComponentChildren =>
  typeof content === 'string' ? (
    <Text text={content} {...how} />
  ) : (
    content.map((part, n) => <Part key={`${n}`} part={part} {...how} />)
  )

/** The texts of a content, as they were written. */
const writtenIn = (content: MessageContent): string =>
  typeof content === 'string'
    ? content
    : content
        .flatMap(part => (typeof part === 'string' ? part : 'text' in part ? part.text : []))
        .join('\n\n')

/** Buttons that copy the text of a content, and that change between the text and what it is as Markdown. */
export const TextButtons = ({
  content,
  form,
  isGrowing = false,
}: Omit<Props, 'as'> & { form: Signal<Form> }) => {
  const text = writtenIn(content)
  const hasForms = useMemo(() => isMarked(text, isGrowing), [text, isGrowing])
  if (text.trim() === '') return null
  return (
    <span class="text-buttons">
      {hasForms && (
        <button
          type="button"
          class="quiet"
          title={form.value === 'text' ? 'Show it as Markdown' : 'Show it as it was written'}
          onClick={() => {
            form.value = form.value === 'text' ? 'rendered' : 'text'
          }}
        >
          {form.value === 'text' ? 'Rendered' : 'Text'}
        </button>
      )}
      <Copy label="Copy" text={() => text} />
    </span>
  )
}
