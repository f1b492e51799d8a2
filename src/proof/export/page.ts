// An export as one page: its files stand in it as blocks of data, beside a script that shows and verifies them. This is the
// form of the blocks, which the page and `reprise verify` read.
import { fileNames, type Manifest } from './format.ts'

/** The attribute of a block that holds the name of its file. */
export const blockAttribute = 'data-file'
/** What the page has in the place of the blocks before it is written. */
export const placeOfBlocks = '<!--files-->'

/** Whether a file has an event on each line. Another one is a JSON text in the page. */
export const isLines = (name: string): boolean => name.endsWith('.ndjson')

/** The files that a page needs: all that are read by a verifier. */
export const filesOfPage = (all: readonly string[]): string[] =>
  all.filter(name => name !== fileNames.readme && name !== fileNames.verifier)

/**
 * JSON in which no tag can begin. In JSON a `<` can only be in a text, where this is the same character. So no text of a
 * task can end its block.
 */
export const withoutTags = (json: string): string => json.replaceAll('<', '\\u003c')

export const beginOfBlock = (name: string): string =>
  `<script type="application/${isLines(name) ? 'x-ndjson' : 'json'}" ${blockAttribute}="${name}">`
export const endOfBlock = '</script>'

/** The name of the file whose block begins with this line; undefined: none does. */
export const nameInBegin = (line: string): string | undefined => {
  const name = /^<script type="[^"]*" data-file="([^"]*)">$/.exec(line)?.[1]
  return name !== undefined && line === beginOfBlock(name) ? name : undefined
}

/** The most bytes that the files in a page may have. A browser reads all of them before it shows the first event. */
export const mostPageBytes = 64 * 1024 * 1024

/** Why files do not go into one page. */
export const tooLongForPage = (
  { subject }: Pick<Manifest, 'subject'>,
  bytes: number,
  most: number,
): string => {
  const megabytes = (count: number) => `${Math.ceil(count / 2 ** 20)} MiB`
  const smaller = subject.kind === 'task' ? '' : ' Or export a part of it.'
  return `the history has ${megabytes(bytes)}, and a page holds at most ${megabytes(most)}: export a folder or an archive, without --html.${smaller}`
}
