// Reads the files of the export, which stand in the page as blocks of data.
import type { ExportFiles } from '../../src/proof/export/files.ts'
import { fileNames } from '../../src/proof/export/format.ts'
import { blockAttribute, isLines } from '../../src/proof/export/page.ts'
import { NotProven } from '../../src/proof/not-proven.ts'

const blocks = [...document.querySelectorAll(`script[${blockAttribute}]`)].map(
  block => [block.getAttribute(blockAttribute) ?? '', block.textContent.trim()] as const,
)
const texts = new Map(blocks)

/** Throws NotProven when a name stands in the page twice: then it would not be clear which file counts. */
const textIn = (name: string): string | undefined => {
  if (blocks.length > texts.size) throw new NotProven('the page holds a file twice')
  return texts.get(name)
}

const parsed = (json: string, name: string): string => {
  try {
    const text: unknown = JSON.parse(json)
    if (typeof text === 'string') return text
  } catch {}
  throw new NotProven(`the page holds ${name} in another form than a page has`)
}

export const files: ExportFiles = {
  text(name) {
    const found = textIn(name)
    return found === undefined || isLines(name) ? found : parsed(found, name)
  },
  lines: name => textIn(name)?.split('\n') ?? [],
  eventFiles: () => [...texts.keys()].filter(name => name.startsWith(`${fileNames.events}/`)),
}
