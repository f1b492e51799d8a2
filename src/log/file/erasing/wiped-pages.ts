// Overwrites what is left of moved texts in pages of a database. When SQLite moves a row to another page, a copy of the
// row may stay in the unused part of the page where it was, and no later deletion of the row overwrites that copy. No
// statement of SQL reaches the unused part. So it is overwritten in the file itself. No reader of the database looks at
// the unused part.
import { fstatSync, fsyncSync, openSync, readSync, statSync, writeSync } from 'node:fs'

const interior = [2, 5]
const leaf = [10, 13]
/** The first page begins with the header of the file. */
const fileHeaderBytes = 100
/**
 * A page without rows (an overflow page or a free page) begins with the number of another page. From this number of
 * pages on, the first byte of such a number can be the type of a page with rows, so larger files (128 GiB) are left as
 * they are.
 */
const mostPages = 2 ** 25

/**
 * The unused part of a page with rows, between the list of the offsets of its rows and the rows themselves. Undefined:
 * the page has no unused part, or no rows.
 */
const unusedPart = (page: Buffer, no: number): { from: number; to: number } | undefined => {
  const at = no === 1 ? fileHeaderBytes : 0
  const type = page[at] ?? 0
  if (!interior.includes(type) && !leaf.includes(type)) return undefined
  const rows = page.readUInt16BE(at + 3)
  const from = at + (interior.includes(type) ? 12 : 8) + 2 * rows
  const to = page.readUInt16BE(at + 5) || 65_536 // 65,536 does not fit into the two bytes
  return from < to && to <= page.length ? { from, to } : undefined
}

/** Files that were opened, by their paths. */
const opened = new Map<string, number>()
/**
 * Opens a database file and never closes it: when a process closes any descriptor of a file, it loses the locks of all
 * of its connections to the file. For the same reason, the file must stay open when the thread ends
 * (`trackUnmanagedFds`).
 */
const openForGood = (path: string): number => {
  const known = opened.get(path)
  if (known !== undefined && fstatSync(known).ino === statSync(path).ino) return known
  const file = openSync(path, 'r+')
  opened.set(path, file)
  return file
}

const sizesOf = (file: number): { pageSize: number; pages: number } => {
  const start = Buffer.alloc(fileHeaderBytes)
  readSync(file, start, 0, start.length, 0)
  const size = start.readUInt16BE(16)
  const pageSize = size === 1 ? 65_536 : size // the two bytes have 1 for 65,536
  return { pageSize, pages: Math.floor(fstatSync(file).size / pageSize) }
}

/** The number of pages in the file. */
export const pagesIn = (path: string): number => sizesOf(openForGood(path)).pages

/**
 * Overwrites the unused parts of these pages, and syncs the file. There must be no WAL, and nobody may write to the file
 * meanwhile.
 */
export const wipePages = (path: string, wanted: Iterable<number>): void => {
  const file = openForGood(path)
  const { pageSize, pages } = sizesOf(file)
  if (pages >= mostPages) return
  const page = Buffer.alloc(pageSize)
  const zeros = Buffer.alloc(pageSize)
  let isChanged = false
  const wipe = (no: number): void => {
    const offset = (no - 1) * pageSize
    if (readSync(file, page, 0, pageSize, offset) < pageSize) return
    const part = unusedPart(page, no)
    if (part === undefined || page.compare(zeros, 0, part.to - part.from, part.from, part.to) === 0) return
    writeSync(file, zeros, 0, part.to - part.from, offset + part.from)
    isChanged = true
  }
  for (const no of wanted) if (no <= pages) wipe(no)
  if (isChanged) fsyncSync(file)
}
