// The log as its file holds it, read and checked without any code of ours.

import { createHash } from 'node:crypto'
import path from 'node:path'
import Database from 'better-sqlite3'

type Row = { position: number; header: string; payload: string | null; salt: string; leaf: string }
export type StoredEvent = {
  position: number
  stream: string
  revision: number
  type: string
  time: string
  seq?: number
  frames?: number
  digest: string
  data: Record<string, unknown>
}

const rowsOf = (dataDir: string): Row[] => {
  const db = new Database(path.join(dataDir, 'log.db'), { readonly: true })
  try {
    return db
      .prepare<[], Row>('SELECT position, header, payload, salt, leaf FROM events ORDER BY position')
      .all()
  } finally {
    db.close()
  }
}
const eventOf = ({ position, header, payload }: Row): StoredEvent => ({
  ...JSON.parse(header),
  position,
  data: JSON.parse(payload ?? '{}'),
})

/** Every stored event, oldest first. */
export const storedEvents = (dataDir: string): StoredEvent[] => rowsOf(dataDir).map(eventOf)

/** The types of a task's facts, in order. */
export const factsOf = (dataDir: string, taskId: string): string[] =>
  storedEvents(dataDir)
    .filter(({ stream }) => stream === `task-${taskId}`)
    .map(({ type }) => type)

const sha = (text: string | Buffer) => createHash('sha256').update(text).digest('base64url')

/** What is wrong with a log: holes in positions, revisions or frame numbers, hashes that do not fit, time going back. */
export const flawsOf = (dataDir: string): string[] => {
  const flaws: string[] = []
  const revisions = new Map<string, number>()
  const frames = new Map<string, number>()
  let expected = 0
  let time = ''
  for (const row of rowsOf(dataDir)) {
    const event = eventOf(row)
    const { position, stream, revision } = event
    const where = `${position} (${stream}@${revision} ${event.type})`
    if (position !== ++expected) flaws.push(`${where}: position ${expected} was expected`)
    if (revision !== (revisions.get(stream) ?? -1) + 1) flaws.push(`${where}: a hole in the stream`)
    revisions.set(stream, revision)
    if (event.seq !== undefined) {
      if (event.seq !== (frames.get(stream) ?? 0)) flaws.push(`${where}: a hole in the frames`)
      frames.set(stream, event.seq + (event.frames ?? 0))
    }
    if (event.time < time) flaws.push(`${where}: time goes back`)
    time = event.time
    if (event.digest !== sha(row.salt + (row.payload ?? ''))) flaws.push(`${where}: the digest does not fit`)
    if (row.leaf !== sha(Buffer.concat([Buffer.of(0), Buffer.from(row.header)]))) {
      flaws.push(`${where}: the leaf does not fit`)
    }
  }
  return flaws
}

/** How the log breaks the rule that a session works at its tasks one by one, in the order of their creation. */
export const queueFaultsOf = (dataDir: string): string[] => {
  const faults: string[] = []
  type Task = { id: string; started: number; ended: number }
  const tasks = new Map<string, Task>()
  const sessions = new Map<string, Task[]>()
  for (const { type, stream, position, data } of storedEvents(dataDir)) {
    if (type === 'TaskCreated') {
      const task = { id: stream, started: Number.POSITIVE_INFINITY, ended: Number.POSITIVE_INFINITY }
      tasks.set(stream, task)
      const session = JSON.stringify([data.user_id, data.session_id])
      sessions.set(session, [...(sessions.get(session) ?? []), task])
    }
    const task = tasks.get(stream)
    if (type === 'TaskStarted' && task !== undefined) task.started = position
    if (/^Task(Completed|Failed|Canceled|Expired)$/.test(type) && task !== undefined) task.ended = position
  }
  for (const [session, inLine] of sessions) {
    inLine.forEach((task, n) => {
      const before = inLine[n - 1]
      if (before !== undefined && task.started < before.ended) {
        faults.push(`${session}: ${task.id} began before ${before.id} had ended`)
      }
    })
  }
  return faults
}
