// Random mutations of a data folder: of bytes, rows, their order, their tails, headers, salts and checkpoints.

import { readFileSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { closeHeader, digestOf, leafOf } from '../../../src/log/leaf.ts'
import { makeSigningKey } from '../../../src/proof/note/keys.ts'
import { checkpointsOf, logOf, noteOf } from './signed-folder.ts'

/** A number from 0 to before `below`. */
export type Random = (below: number) => number

/** A generator of numbers with a seed (mulberry32). */
export const randomOf = (seed: number): Random => {
  let state = seed >>> 0
  return below => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

type Row = {
  position: number
  stream_no: number
  revision: number
  header: string
  /** Null when the payload is long. */
  payload: string
  salt: string
}
type Db = InstanceType<typeof Database>
type Target = { dataDir: string; size: number; random: Random }
export type Mutation = (target: Target) => void

/** Changes the tables with everything allowed that the file forbids. */
const inTables =
  (change: (db: Db, target: Target) => void): Mutation =>
  target => {
    const db = new Database(logOf(target.dataDir))
    try {
      const triggers = db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'trigger'").pluck()
      for (const name of triggers.all()) db.exec(`DROP TRIGGER ${name}`)
      db.pragma('foreign_keys = OFF')
      db.pragma('journal_mode = MEMORY')
      db.pragma('synchronous = OFF')
      change(db, target)
    } finally {
      db.close()
    }
  }

const positionIn = ({ random, size }: Target): number => 1 + random(size)
const rowAt = (db: Db, position: number): Row => {
  const row = db.prepare<[number], Row>('SELECT * FROM events WHERE position = ?').get(position)
  if (row === undefined) throw new Error(`no event at ${position}`)
  return row
}
/** Some event whose payload is in its row. */
const shortRow = (db: Db, target: Target): Row => {
  for (;;) {
    const row = rowAt(db, positionIn(target))
    if (row.payload !== null) return row
  }
}
const otherText = (text: string, random: Random): string => {
  const at = random(text.length)
  const letter = String.fromCharCode(97 + random(26))
  return `${text.slice(0, at)}${letter === text[at] ? '_' : letter}${text.slice(at + 1)}`
}

/** Makes an event that fits itself: only the tree, or another event, can show that it is not the old one. */
const forge = (db: Db, { position, header, salt }: Row, payload: string): void => {
  const open = header.slice(0, header.lastIndexOf(',"digest":"'))
  const forged = closeHeader(open, digestOf(salt, payload))
  db.prepare('UPDATE events SET header = ?, payload = ?, leaf = ? WHERE position = ?').run(
    forged,
    payload,
    leafOf(forged),
    position,
  )
}

const changeText = (column: 'header' | 'payload' | 'salt' | 'leaf'): Mutation =>
  inTables((db, target) => {
    const position = positionIn(target)
    const text = db
      .prepare<[number], string>(`SELECT ${column} FROM events WHERE position = ?`)
      .pluck()
      .get(position)
    const changed = otherText(text ?? '', target.random)
    db.prepare(`UPDATE events SET ${column} = ? WHERE position = ?`).run(changed, position)
  })

/** Moves an event, with its payload when that is long. */
const move = (db: Db, from: number, to: number): void => {
  for (const table of ['events', 'long_payloads'])
    db.prepare(`UPDATE ${table} SET position = ? WHERE position = ?`).run(to, from)
}
const swap = (db: Db, one: number, other: number): void => {
  move(db, one, -1)
  move(db, other, one)
  move(db, -1, other)
}

const changeNotes =
  (change: (lines: string[], target: Target) => string[]): Mutation =>
  target => {
    const file = checkpointsOf(target.dataDir)
    writeFileSync(file, change(readFileSync(file, 'utf8').split('\n'), target).join('\n'))
  }

type Piece = { payload: number; n: number; text: string }
const somePiece = (db: Db, random: Random): Piece => {
  const pieces = db.prepare<[], Piece>('SELECT payload, n, text FROM pieces').all()
  const piece = pieces[random(pieces.length)]
  if (piece === undefined) throw new Error('no payload is stored in pieces')
  return piece
}

/** The notes of a file, each with the empty line after it. */
const changeNote =
  (change: (notes: string[], target: Target) => string[]): Mutation =>
  target => {
    const file = checkpointsOf(target.dataDir)
    const notes = readFileSync(file, 'utf8').match(/[\s\S]*?\n\n— .*\n\n/g) ?? []
    writeFileSync(file, change(notes, target).join(''))
  }

/** Two different indexes below `count`. */
const twoOf = (count: number, random: Random): [number, number] => {
  const one = random(count)
  return [one, (one + 1 + random(count - 1)) % count]
}

export const mutations: Record<string, Mutation> = {
  bytes: ({ dataDir, random }) => {
    const bytes = readFileSync(logOf(dataDir))
    for (let count = 1 + random(4); count > 0; count--) {
      const at = random(bytes.length)
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8))
    }
    writeFileSync(logOf(dataDir), bytes)
  },
  header: changeText('header'),
  payload: changeText('payload'),
  salt: changeText('salt'),
  leaf: changeText('leaf'),
  'a letter between salt and payload': inTables((db, target) => {
    const { position, salt, payload } = shortRow(db, target)
    const cut = 1 + target.random(Math.min(20, payload.length - 1))
    db.prepare('UPDATE events SET salt = ?, payload = ? WHERE position = ?').run(
      salt + payload.slice(0, cut),
      payload.slice(cut),
      position,
    )
  }),
  'swapped salts': inTables((db, target) => {
    const [one, other] = [positionIn(target), positionIn(target)]
    const [first, second] = [rowAt(db, one), rowAt(db, other)]
    const update = db.prepare('UPDATE events SET salt = ? WHERE position = ?')
    update.run(second.salt, one)
    update.run(first.salt, other)
  }),
  'no payload': inTables((db, target) => {
    db.prepare('UPDATE events SET payload = NULL WHERE position = ?').run(positionIn(target))
  }),
  'a forged payload': inTables((db, target) => {
    forge(db, rowAt(db, positionIn(target)), JSON.stringify({ forged: target.random(1_000_000) }))
  }),
  'a forged time': inTables((db, target) => {
    const row = rowAt(db, positionIn(target))
    forge(db, { ...row, header: row.header.replace(/"time":"\d{4}/, '"time":"1999') }, row.payload)
  }),
  'a removed event': inTables((db, target) => {
    db.prepare('DELETE FROM events WHERE position = ?').run(positionIn(target))
  }),
  'a removed event, and those after it moved': inTables((db, target) => {
    const position = positionIn(target)
    for (const table of ['events', 'long_payloads'])
      db.prepare(`DELETE FROM ${table} WHERE position = ?`).run(position)
    for (let at = position + 1; at <= target.size; at++) move(db, at, at - 1)
  }),
  'swapped events': inTables((db, target) => {
    const [one, other] = [positionIn(target), positionIn(target)]
    if (one !== other) swap(db, one, other)
  }),
  'a cut tail': inTables((db, target) => {
    db.prepare('DELETE FROM events WHERE position >= ?').run(positionIn(target))
  }),
  'another revision': inTables((db, target) => {
    const position = positionIn(target)
    db.prepare('UPDATE events SET revision = revision + ? WHERE position = ?').run(1000, position)
  }),
  'another stream': inTables((db, target) => {
    const position = positionIn(target)
    const { stream_no } = rowAt(db, position)
    db.prepare('UPDATE events SET stream_no = ?, revision = 5000 + revision WHERE position = ?').run(
      stream_no === 1 ? 2 : 1,
      position,
    )
  }),
  'a stream without its name': inTables((db, target) => {
    db.prepare('DELETE FROM streams WHERE no = ?').run(rowAt(db, positionIn(target)).stream_no)
  }),
  'a stream with another name': inTables((db, target) => {
    const { stream_no } = rowAt(db, positionIn(target))
    db.prepare("UPDATE streams SET id = id || 'x' WHERE no = ?").run(stream_no)
  }),
  'a letter of a piece': inTables((db, { random }) => {
    const { payload, n, text } = somePiece(db, random)
    const changed = otherText(text, random)
    db.prepare('UPDATE pieces SET text = ? WHERE payload = ? AND n = ?').run(changed, payload, n)
  }),
  'a removed piece': inTables((db, { random }) => {
    const { payload, n } = somePiece(db, random)
    db.prepare('DELETE FROM pieces WHERE payload = ? AND n = ?').run(payload, n)
  }),
  'a long payload of another event': inTables((db, target) => {
    db.prepare('UPDATE long_payloads SET position = ?').run(positionIn(target))
  }),
  'another log': inTables(db => db.exec("UPDATE facts SET value = 'log_other' WHERE key = 'log_id'")),
  'a letter of a checkpoint': changeNotes((lines, { random }) => {
    const text = lines.join('\n')
    let at = random(text.length)
    while (text[at] === '\n') at = random(text.length)
    return `${text.slice(0, at)}${text[at] === '3' ? '4' : '3'}${text.slice(at + 1)}`.split('\n')
  }),
  'a checkpoint that is cut off anywhere': changeNote((notes, { random }) => {
    const one = random(notes.length)
    const note = notes[one] ?? ''
    const cut = note.slice(0, 1 + random(note.indexOf('\n\n—')))
    return notes.with(one, `${cut}\n\n`)
  }),
  'swapped checkpoints': changeNote((notes, { random }) => {
    const [one, other] = twoOf(notes.length, random)
    return notes.with(one, notes[other] ?? '').with(other, notes[one] ?? '')
  }),
  'a signature of another checkpoint': changeNote((notes, { random }) => {
    const [one, other] = twoOf(notes.length, random)
    const [text = ''] = (notes[one] ?? '').split('\n\n')
    const [, signature = ''] = (notes[other] ?? '').split('\n\n')
    return notes.with(one, `${text}\n\n${signature}\n\n`)
  }),
  'a bit of the checkpoints': ({ dataDir, random }) => {
    const bytes = readFileSync(checkpointsOf(dataDir))
    const at = random(bytes.length)
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8))
    writeFileSync(checkpointsOf(dataDir), bytes)
  },
  'another blank in place of a line end': ({ dataDir, random }) => {
    const notes = readFileSync(checkpointsOf(dataDir), 'utf8')
    const ends = [...notes.matchAll(/\n/g)].map(({ index }) => index)
    const at = ends[random(ends.length)] ?? 0
    const blank = [' ', '\t', '\v', '\f', '\r', '\u00a0', '\u2028', '\ufeff'][random(8)]
    writeFileSync(checkpointsOf(dataDir), `${notes.slice(0, at)}${blank}${notes.slice(at + 1)}`)
  },
  'a removed line of a checkpoint': changeNotes((lines, { random }) => {
    let at = random(lines.length)
    while (lines[at] === '') at = random(lines.length)
    return lines.filter((_, n) => n !== at)
  }),
  'a checkpoint of another key': changeNotes((lines, { dataDir, size, random }) => {
    const key = makeSigningKey(lines[0] ?? '', 'note')
    return [...lines.slice(0, -1), ...noteOf(dataDir, key, 1 + random(size)).split('\n'), '']
  }),
}
