// Loaded before each bundled test file, so that stacks name lines of the sources. Node's own --enable-source-maps reads
// the source map of each file that it loads. This reads a map when a stack names a line of its file, which few do.
import { existsSync, readFileSync } from 'node:fs'
import module, { SourceMap, syncBuiltinESMExports } from 'node:module'
import { fileURLToPath } from 'node:url'

const read = url => {
  const file = url.startsWith('file:') ? `${fileURLToPath(url)}.map` : ''
  if (!existsSync(file)) return undefined
  const payload = JSON.parse(readFileSync(file, 'utf8'))
  return new SourceMap({ ...payload, sources: payload.sources.map(source => new URL(source, url).href) })
}
const maps = new Map()
const mapOf = url => {
  if (!maps.has(url)) maps.set(url, read(url))
  return maps.get(url)
}

/** A line of a stack, with the place in the source in place of the one in the bundle. */
const lineOf = site => {
  const [url, line, column] = [site.getFileName() ?? '', site.getLineNumber(), site.getColumnNumber()]
  const entry = mapOf(url)?.findEntry(line - 1, column - 1)
  if (entry?.originalSource === undefined) return `${site}`
  const source = `${entry.originalSource}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
  return `${site}`.replace(`${url}:${line}:${column}`, source)
}

module.findSourceMap = mapOf // for tap, which names the line of a failed assertion
syncBuiltinESMExports()
Error.prepareStackTrace = (error, sites) => [`${error}`, ...sites.map(lineOf)].join('\n    at ')
