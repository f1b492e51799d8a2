// Reads, writes, changes and lists files of a workspace.
import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  fstatSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { existing, named, namingPath, openFile, writable } from './inside.ts'
import { byName } from './walk.ts'

/** The size in bytes of the largest file that is read or changed. */
const maxBytes = 16 << 20
/** One answer has at most this many characters of a file. */
const maxText = 256 << 10
/** One answer has at most this many entries of a folder. */
const maxNames = 1_000

/** The text of the bytes; undefined if they are not valid UTF-8. */
export const utf8Text = (bytes: Buffer): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** The whole file. Throws if it has more than `max` bytes. */
export const bytesOf = (real: string, given: string, max: number): Buffer => {
  const file = openFile(real, given)
  try {
    const { size } = fstatSync(file)
    if (size > max)
      throw new Error(`${named(given)} has ${size} bytes, more than ${max >> 20} MiB: use shell`)
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

const wholeText = (root: string, given: string): string => {
  const text = utf8Text(bytesOf(existing(root, given), given, maxBytes))
  if (text === undefined) throw new Error(`${named(given)} is not a text file: its content is not UTF-8`)
  return text
}

/** Where the next line begins, after the line that begins at `start`. */
const nextLine = (text: string, start: number): number => {
  const end = text.indexOf('\n', start)
  return end === -1 ? text.length : end + 1
}

/** At most `limit` lines, from the line `offset` on, counted from 1. A note follows if the file has more lines. */
export const readFile = (root: string, given: string, offset: number, limit: number): string =>
  namingPath(given, () => {
    const text = wholeText(root, given)
    let [first, end, last, count, isCut] = [0, 0, 0, 0, false]
    for (let start = 0, next: number; start < text.length; start = next) {
      next = nextLine(text, start)
      count++
      if (count === offset) first = start
      if (count < offset || isCut) continue
      const isNext = count < offset + limit && (count === offset || next - first <= maxText)
      isCut = !isNext || next - first > maxText
      if (!isNext) continue
      end = Math.min(next, first + maxText)
      last = count
    }
    if (offset > Math.max(count, 1)) throw new Error(`${named(given)} has only ${count} lines`)
    const part = text.slice(first, end)
    return isCut ? `${part.replace(/\n$/, '')}\n[Cut: lines ${offset} to ${last} of ${count}]` : part
  })

/** Replaces the file with a new one. If the old file has another name anywhere, its content stays under that name. */
const replace = (real: string, content: string, mode: number): void => {
  const fresh = path.join(path.dirname(real), `.${randomUUID()}`)
  try {
    writeFileSync(fresh, content, { flag: 'wx' })
    chmodSync(fresh, mode) // independent of the umask of the process
    renameSync(fresh, real)
  } finally {
    rmSync(fresh, { force: true })
  }
}

export const writeFile = (root: string, given: string, content: string): string =>
  namingPath(given, () => {
    const real = writable(root, given)
    const there = lstatSync(real, { throwIfNoEntry: false })
    replace(real, content, there === undefined ? 0o644 : there.mode & 0o777)
    return `Wrote ${Buffer.byteLength(content)} bytes to ${named(given)}`
  })

export const patchFile = (root: string, given: string, old: string, fresh: string): string =>
  namingPath(given, () => {
    const text = wholeText(root, given)
    const at = text.indexOf(old)
    if (at === -1)
      throw new Error(`old does not occur in ${named(given)}: it must fit character by character`)
    if (text.includes(old, at + 1)) {
      throw new Error(`old occurs more than once in ${named(given)}: give more of what stands around it`)
    }
    const [before, after] = [text.slice(0, at), text.slice(at + old.length)]
    const real = existing(root, given)
    replace(real, before + fresh + after, lstatSync(real).mode & 0o777)
    return `Changed ${named(given)} at line ${before.split('\n').length}`
  })

export const listFiles = (root: string, given: string): string =>
  namingPath(given, () => {
    const real = existing(root, given)
    if (!lstatSync(real).isDirectory()) throw new Error(`${named(given)} is not a folder`)
    const lines = readdirSync(real, { withFileTypes: true })
      .sort(byName)
      .map(entry => {
        const name = /\p{Cc}/u.test(entry.name) ? JSON.stringify(entry.name) : entry.name
        if (entry.isDirectory()) return `${name}/`
        if (entry.isSymbolicLink()) return `${name} (symbolic link)`
        return entry.isFile()
          ? `${name} (${lstatSync(path.join(real, entry.name)).size} bytes)`
          : `${name} (not a regular file)`
      })
    if (lines.length === 0) return '(the folder is empty)'
    const cut = lines.length > maxNames ? [`[Cut: these are ${maxNames} of ${lines.length} entries]`] : []
    return [...lines.slice(0, maxNames), ...cut].join('\n')
  })
