// Finds the line of the source for a place in a profile of the bundle, by the source map beside the bundled file.
import { existsSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import path from 'node:path'

const maps = new Map<string, SourceMap | undefined>()
const sources = new Map<string, string[]>()

const mapOf = (file: string): SourceMap | undefined => {
  if (!maps.has(file)) {
    const map = `${file}.map`
    maps.set(file, existsSync(map) ? new SourceMap(JSON.parse(readFileSync(map, 'utf8'))) : undefined)
  }
  return maps.get(file)
}
const linesOf = (source: string): string[] => {
  let lines = sources.get(source)
  if (lines === undefined) {
    lines = existsSync(source) ? readFileSync(source, 'utf8').split('\n') : []
    sources.set(source, lines)
  }
  return lines
}

/** The source for a line and a column (from 0) of a bundled file: its path, its line from 1, and the text of the line. */
export const sourceLine = (
  file: string,
  at: number,
  column: number,
): { source: string; line: number; text: string } | undefined => {
  const entry = mapOf(file)?.findEntry(at, column) as
    | { originalSource?: string; originalLine?: number }
    | undefined
  if (entry?.originalSource === undefined || entry.originalLine === undefined) return undefined
  const source = path.resolve(path.dirname(file), entry.originalSource)
  return { source, line: entry.originalLine + 1, text: linesOf(source)[entry.originalLine]?.trim() ?? '' }
}
