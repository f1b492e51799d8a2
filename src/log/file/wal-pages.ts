// Finds out which pages of a database were written, from its WAL.
import { closeSync, fstatSync, openSync, readSync, realpathSync, statSync } from 'node:fs'

const headerBytes = 32
const frameHeaderBytes = 24
/** The frames of which the headers are read together. */
const framesAtOnce = 64

/**
 * Returns a function that returns the pages that were written since its last call, as far as the WAL still has them, and
 * perhaps others. It must be called after a commit of this thread, before another commit begins.
 */
export const createWalPages = (path: string): (() => Set<number>) => {
  const wal = `${realpathSync(path)}-wal`
  let salts = Buffer.alloc(0)
  /** The end of what was read, in a WAL with these salts. */
  let readTo = headerBytes
  return () => {
    const pages = new Set<number>()
    if (statSync(wal, { throwIfNoEntry: false }) === undefined) return pages
    const file = openSync(wal, 'r')
    try {
      const header = Buffer.alloc(headerBytes)
      if (readSync(file, header, 0, headerBytes, 0) < headerBytes) return pages
      const frameBytes = frameHeaderBytes + header.readUInt32BE(8)
      // SQLite chooses other salts each time it uses the WAL from its start.
      const now = header.subarray(16, 24)
      if (!now.equals(salts)) {
        salts = Buffer.from(now)
        readTo = headerBytes
      }
      const { size } = fstatSync(file)
      const frames = Buffer.alloc(frameBytes * framesAtOnce)
      for (; readTo < size; ) {
        const read = readSync(file, frames, 0, frames.length, readTo)
        let at = 0
        for (; at + frameBytes <= read; at += frameBytes) {
          if (!frames.subarray(at + 8, at + 16).equals(salts)) return pages
          pages.add(frames.readUInt32BE(at))
          readTo += frameBytes
        }
        if (at === 0) return pages
      }
      return pages
    } finally {
      closeSync(file)
    }
  }
}
