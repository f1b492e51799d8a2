// The content of a message: texts with their code, images, sounds and files. Anybody may have written it, so its
// texts are shown as plain text, and nothing is loaded from other servers.
import type { ComponentChildren } from 'preact'
import type { ContentPart, MessageContent } from '../../src/contract/wire.ts'

/** A link that a task names. Only web addresses can be opened. */
const Outside = ({ url, children }: { url: string; children: ComponentChildren }) =>
  /^https?:\/\//i.test(url) ? (
    <a href={url} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  ) : (
    <span>{children}</span>
  )

const Inline = ({ text }: { text: string }) => (
  <>
    {text.split(/(`[^`\n]+`)/).map((part, n) =>
      // The parts of one text never change their places.
      n % 2 === 1 ? <code key={`${n}`}>{part.slice(1, -1)}</code> : part,
    )}
  </>
)

/** A text in which fences of three backticks mark code. */
export const Prose = ({ text }: { text: string }) => (
  <div class="prose">
    {text.split(/^```(.*\n[\s\S]*?)(?:^```\s*$|$(?![\s\S]))/m).map((part, n) => {
      if (n % 2 === 0)
        return part.trim() === '' ? null : (
          <p key={`${n}`}>
            <Inline text={part.trim()} />
          </p>
        )
      const [language = '', ...lines] = part.split('\n')
      return (
        <figure key={`${n}`} class="code-block">
          {language.trim() !== '' && <figcaption>{language}</figcaption>}
          <pre>{lines.join('\n').trimEnd()}</pre>
        </figure>
      )
    })}
  </div>
)

const Image = ({ url }: { url: string }) =>
  /^data:image\//i.test(url) ? (
    <img class="picture" src={url} alt="From the task" />
  ) : (
    <Outside url={url}>Image at {url}</Outside>
  )

const Part = ({ part }: { part: ContentPart }) => {
  if (typeof part === 'string') return <Prose text={part} />
  if ('text' in part) return <Prose text={part.text} />
  if ('image_url' in part) return <Image url={part.image_url.url} />
  if ('input_audio' in part) {
    const { data, format } = part.input_audio
    // biome-ignore lint/a11y/useMediaCaption: nobody has written captions for a sound of a task
    return <audio controls src={`data:audio/${format.replace(/\W/g, '')};base64,${data}`} />
  }
  const { filename, file_url } = part.file
  return <Outside url={file_url ?? ''}>File {filename}</Outside>
}

export const Content = ({ content }: { content: MessageContent }): ComponentChildren =>
  typeof content === 'string' ? (
    <Prose text={content} />
  ) : (
    content.map((part, n) => <Part key={`${n}`} part={part} />)
  )
