// Finds the line of the source for a place in a profile. tsx puts a module on a few long lines, so this file transforms
// the module once more to get a source map.
import { readFileSync } from 'node:fs'
import { createRequire, SourceMap } from 'node:module'

type Transform = (code: string, options: object) => { map: string }
const here = createRequire(import.meta.url)
const { transformSync } = createRequire(here.resolve('tsx'))('esbuild') as { transformSync: Transform }

const asTsxDoes = { loader: 'ts', format: 'esm', minifyWhitespace: true, keepNames: true, sourcemap: true }
const maps = new Map<string, { map: SourceMap; lines: string[] }>()

const open = (file: string) => {
  let opened = maps.get(file)
  if (opened === undefined) {
    const code = readFileSync(file, 'utf8')
    const target = `node${process.versions.node}`
    const { map } = transformSync(code, { ...asTsxDoes, target, sourcefile: file })
    opened = { map: new SourceMap(JSON.parse(map)), lines: code.split('\n') }
    maps.set(file, opened)
  }
  return opened
}

/** The line of the source for a line and a column (from 0) of the running code: its number, from 1, and its text. */
export const sourceLine = (
  file: string,
  at: number,
  column: number,
): { line: number; text: string } | undefined => {
  const { map, lines } = open(file)
  const entry = map.findEntry(at, column) as { originalLine?: number }
  if (entry.originalLine === undefined) return undefined
  return { line: entry.originalLine + 1, text: lines[entry.originalLine]?.trim() ?? '' }
}
