// Defines the form of an export as one page. The page contains the files as blocks of data, and a script that shows and
// verifies these files. The script and `reprise verify` read the blocks.
import { fileNames, type Manifest } from './format.ts'

/** The attribute with the name of the file that a block contains. */
export const blockAttribute = 'data-file'
/** The template of the page has this text where the blocks will be. */
export const placeOfBlocks = '<!--files-->'

/** Whether a file has an event on each line. The text of any other file is a JSON string in the page. */
export const isLines = (name: string): boolean => name.endsWith('.ndjson')

/** The files that a page contains: all files that a verifier reads. */
export const filesOfPage = (all: readonly string[]): string[] =>
  all.filter(name => name !== fileNames.readme && name !== fileNames.verifier)

/**
 * Escapes JSON so that no tag can begin in it. In JSON, `<` occurs only in strings, where the escape means the same
 * character. So no text of a task can end the block that contains the text.
 */
export const withoutTags = (json: string): string => json.replaceAll('<', '\\u003c')

export const beginOfBlock = (name: string): string =>
  `<script type="application/${isLines(name) ? 'x-ndjson' : 'json'}" ${blockAttribute}="${name}">`
export const endOfBlock = '</script>'

/** The name of the file whose block begins with this line; undefined: no block begins with this line. */
export const nameInBegin = (line: string): string | undefined => {
  const name = /^<script type="[^"]*" data-file="([^"]*)">$/.exec(line)?.[1]
  return name !== undefined && line === beginOfBlock(name) ? name : undefined
}

/** The files in a page have at most this many bytes together. A browser reads all of them before it shows an event. */
export const mostPageBytes = 64 * 1024 * 1024

/** The error text for files that are too long for one page. */
export const tooLongForPage = (
  { subject }: Pick<Manifest, 'subject'>,
  bytes: number,
  most: number,
): string => {
  const megabytes = (count: number) => `${Math.ceil(count / 2 ** 20)} MiB`
  const smaller = subject.kind === 'task' ? '' : ' Or export a part of it.'
  return `the history has ${megabytes(bytes)}, and a page holds at most ${megabytes(most)}: export a folder or an archive, without --html.${smaller}`
}
