// Line coverage from the V8 data that tap collects in .tap/coverage. c8 counts whole lines, but tsx puts a module on
// one line. So this file maps each range that V8 has counted through the source map, and finds branches that never ran.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

const decodeVlq = segment => {
  const numbers = []
  let value = 0
  let shift = 0
  for (const char of segment) {
    const digit = digits.indexOf(char)
    value |= (digit & 31) << shift
    shift += 5
    if (digit & 32) continue
    numbers.push(value & 1 ? -(value >> 1) : value >> 1)
    value = shift = 0
  }
  return numbers
}

// Calls `callback` for each segment of the map, with the offset in the generated code and the line of the source.
const eachSegment = ({ lineLengths, data }, callback) => {
  let sourceLine = 0
  let lineStart = 0
  for (const [index, segments] of data.mappings.split(';').entries()) {
    let column = 0
    for (const segment of segments ? segments.split(',') : []) {
      const [columns, , lines] = decodeVlq(segment)
      column += columns
      if (lines === undefined) continue
      sourceLine += lines
      callback(lineStart + column, sourceLine + 1)
    }
    lineStart += lineLengths[index] + 1
  }
}

const ranOffsets = functions => {
  const ranges = functions.flatMap(({ ranges }) => ranges)
  const ran = new Uint8Array(Math.max(...ranges.map(range => range.endOffset)))
  // The smallest range around a place decides its count, so wider ranges are applied first.
  const size = range => range.endOffset - range.startOffset
  for (const range of ranges.sort((a, b) => size(b) - size(a)))
    ran.fill(range.count > 0 ? 1 : 0, range.startOffset, range.endOffset)
  return ran
}

const filesBelow = (root, folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .map(name => join(folder, name))
    .filter(name => name.endsWith('.ts'))

const lineRanges = lines => {
  const ranges = []
  for (const line of lines) {
    const last = ranges.at(-1)
    if (last && line === last[1] + 1) last[1] = line
    else ranges.push([line, line])
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(' ')
}

export const reportCoverage = (root, folders) => {
  /** @type {Map<string, Map<number, boolean>>} file -> line -> whether the line ran in any process */
  const files = new Map(folders.flatMap(folder => filesBelow(root, folder)).map(file => [file, new Map()]))
  const folder = join(root, '.tap/coverage')
  for (const name of readdirSync(folder)) {
    const { result, 'source-map-cache': maps = {} } = JSON.parse(readFileSync(join(folder, name), 'utf8'))
    for (const { url, functions } of result) {
      const lines = files.get(relative(root, fileURLToPath(url)))
      if (!lines || !maps[url]) continue
      const ran = ranOffsets(functions)
      eachSegment(maps[url], (offset, line) => lines.set(line, lines.get(line) || ran[offset] === 1))
    }
  }

  const rows = []
  let [allLines, allRan] = [0, 0]
  for (const [file, lines] of files) {
    if (lines.size === 0) continue
    const missed = [...lines].filter(([, ran]) => !ran).map(([line]) => line)
    allLines += lines.size
    allRan += lines.size - missed.length
    const percent = Math.floor((100 * (lines.size - missed.length)) / lines.size)
    if (missed.length > 0) rows.push({ file, percent, missed: lineRanges(missed.sort((a, b) => a - b)) })
  }
  rows.sort((a, b) => a.percent - b.percent)
  const width = Math.max(0, ...rows.map(({ file }) => file.length))
  const percent = allLines ? ((100 * allRan) / allLines).toFixed(1) : '0.0'
  return [
    `${percent} % of the lines of the ${[...files.values()].filter(lines => lines.size > 0).length} files that tests load`,
    ...rows.map(row => {
      const line = `  ${row.file.padEnd(width)} ${String(row.percent).padStart(3)} %  ${row.missed}`
      return line.length > 110 ? `${line.slice(0, 107)}...` : line
    }),
  ]
}
