// Writes an export as one page, which a browser opens without a server. Also unpacks such a page again.
import { closeSync, mkdirSync, openSync, readFileSync, readSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { built } from '../../platform/built.ts'
import { BadArchive } from '../../platform/files/tar.ts'
import { filesOfExport, isExportFile, type Manifest } from '../../proof/export/format.ts'
import {
  beginOfBlock,
  endOfBlock,
  filesOfPage,
  isLines,
  mostPageBytes,
  nameInBegin,
  placeOfBlocks,
  tooLongForPage,
  withoutTags,
} from '../../proof/export/page.ts'
import { linesIn } from '../../proof/verify/lines.ts'
import { appendLines } from './line-writer.ts'

/** Thrown when a history is too long for one page. */
export class TooLongForPage extends Error {}

/** Every page that we write begins with this text. */
const begin = '<!doctype html>'
/** Whether a file is a page. */
export const isPage = (file: string): boolean => {
  const opened = openSync(file, 'r')
  const start = Buffer.alloc(begin.length)
  readSync(opened, start, 0, start.length, 0)
  closeSync(opened)
  return start.toString('latin1') === begin
}

/** Writes the export in a folder as one page. Throws TooLongForPage. */
export const writePage = (folder: string, manifest: Manifest, page: string, most = mostPageBytes): void => {
  const names = filesOfPage(filesOfExport(manifest))
  const bytes = names.reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0)
  if (bytes > most) throw new TooLongForPage(tooLongForPage(manifest, bytes, most))
  const [head = '', tail = ''] = readFileSync(built('console/export.html'), 'utf8').split(placeOfBlocks)
  const lines = appendLines(page)
  try {
    lines.add(head)
    for (const name of names) {
      const text = readFileSync(path.join(folder, name), 'utf8')
      lines.add(beginOfBlock(name))
      lines.add(withoutTags(isLines(name) ? text.trimEnd() : JSON.stringify(text)))
      lines.add(endOfBlock)
    }
    lines.add(tail)
  } finally {
    lines.close()
  }
}

const textIn = (json: string, name: string): string => {
  try {
    const text: unknown = JSON.parse(json)
    if (typeof text === 'string') return text
  } catch {}
  throw new BadArchive(`the page holds ${name} in another form than a page has`)
}

/** Writes the files in a page into an empty folder. Throws BadArchive. */
export const unpackPage = (page: string, folder: string): void => {
  const seen = new Set<string>()
  let open: { name: string; lines: ReturnType<typeof appendLines> | undefined } | undefined
  const start = (name: string): void => {
    if (!isExportFile(name)) throw new BadArchive(`the page holds ${name}, which does not belong to it`)
    if (seen.has(name)) throw new BadArchive(`the page holds ${name} twice`)
    seen.add(name)
    const file = path.join(folder, name)
    mkdirSync(path.dirname(file), { recursive: true })
    open = { name, lines: isLines(name) ? appendLines(file) : undefined }
  }
  try {
    for (const line of linesIn(page)) {
      const name = nameInBegin(line)
      if (open === undefined) {
        if (name !== undefined) start(name)
      } else if (line === endOfBlock) {
        open.lines?.close()
        open = undefined
      } else if (open.lines !== undefined) open.lines.add(line)
      else writeFileSync(path.join(folder, open.name), textIn(line, open.name), { mode: 0o600 })
    }
  } finally {
    open?.lines?.close()
  }
  if (open !== undefined) throw new BadArchive('the page is cut off')
  if (seen.size === 0) throw new BadArchive('the page holds no export')
}
