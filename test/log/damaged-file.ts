// A log file to damage: its events, and the places of their texts in the file.

import { readFileSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import type { Test } from 'tap'
import { fileIn, openFile, to } from './support.ts'

export type Field = 'header' | 'payload' | 'salt' | 'leaf'
export const streamOfEvent = (n: number, streams: number): string => `task-${n % streams}`

/** Writes `count` events by turns to some streams, and closes the log: all of it is then in the one file. */
export const givenFileOf = async (t: Test, count: number, streams: number): Promise<string> => {
  const file = fileIn(t.testdir({}))
  const log = await openFile(t, file)
  const revisions = new Map<string, number>()
  await Promise.all(
    Array.from({ length: count }, (_, n) => {
      const stream = streamOfEvent(n, streams)
      const revision = revisions.get(stream) ?? -1
      revisions.set(stream, revision + 1)
      return log.append([to(stream, revision, { n, text: `<${n}> ${'lorem ipsum '.repeat(4)}` })])
    }),
  )
  await log.close()
  return file
}

/** Where in the file the text of one field of one event begins, and how long it is. */
export const placesOf = (file: string) => {
  const db = new Database(file, { readonly: true })
  const rows = db.prepare<[], Record<Field, string>>('SELECT header, payload, salt, leaf FROM events').all()
  db.close()
  const bytes = readFileSync(file)
  return (position: number, field: Field): { at: number; length: number } => {
    const row = rows[position - 1]
    if (row === undefined) throw new Error(`no event at ${position}`)
    // Salts and leaves are unique; a header and a payload stand before them, in the order of the columns.
    const salt = bytes.indexOf(row.salt)
    const length = Buffer.byteLength(row[field])
    const starts = {
      salt,
      leaf: salt + Buffer.byteLength(row.salt),
      payload: salt - Buffer.byteLength(row.payload),
      header: salt - Buffer.byteLength(row.payload) - Buffer.byteLength(row.header),
    }
    const at = starts[field]
    if (bytes.toString('utf8', at, at + length) !== row[field]) throw new Error(`${field} not found at ${at}`)
    return { at, length }
  }
}

export const flip = (file: string, at: number, mask: number): void => {
  const bytes = readFileSync(file)
  bytes.writeUInt8(bytes.readUInt8(at) ^ mask, at)
  writeFileSync(file, bytes)
}
