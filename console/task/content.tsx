// The content of a message: texts with their code, images, sounds, files, and blocks. It comes from anybody, so all of it
// is shown as text, and nothing is loaded from other servers.
import type { ComponentChildren } from 'preact'
import type { Block, ContentPart, MessageContent } from '../../src/contract/wire.ts'
import { Scrolling } from '../ui/scrolling.tsx'

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

/** A value as a cell shows it. */
const cell = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)

type Table = { columns: string[]; rows: unknown[][] }
/** The rows of a block, as lists or as objects; undefined when it is no table. */
const tableOf = ({ rows, columns }: Block): Table | undefined => {
  if (!Array.isArray(rows) || rows.length === 0) return undefined
  const named = Array.isArray(columns)
    ? columns.map(column =>
        typeof column === 'object' && column !== null && 'name' in column
          ? String(column.name)
          : cell(column),
      )
    : undefined
  if (rows.every(Array.isArray)) return { columns: named ?? [], rows: rows as unknown[][] }
  if (!rows.every(row => typeof row === 'object' && row !== null)) return undefined
  const objects = rows as Record<string, unknown>[]
  const keys = named ?? [...new Set(objects.flatMap(row => Object.keys(row)))]
  return { columns: keys, rows: objects.map(row => keys.map(key => row[key])) }
}

export const Blocks = ({ blocks }: { blocks: readonly Block[] }) => (
  <>
    {blocks.map((block, n) => {
      const table = tableOf(block)
      if (table === undefined) return <pre key={`${n}`}>{JSON.stringify(block, null, 2)}</pre>
      return (
        <Scrolling key={`${n}`} class="scroll" label="Table">
          <table class="block">
            <thead>
              <tr>
                {table.columns.map(column => (
                  <th key={column}>{column}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {table.rows.map((row, at) => (
                <tr key={`${at}`}>
                  {row.map((value, column) => (
                    <td key={`${column}`}>{cell(value)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </Scrolling>
      )
    })}
  </>
)
