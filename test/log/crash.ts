// What the tests of crashes share: a process that appends, its acknowledgements, and copies of its files.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type Database from 'better-sqlite3'
import type { Test } from 'tap'
import { openForWriting } from '../../src/log/file/sqlite-file.ts'

const fixture = path.join(import.meta.dirname, 'fixtures/append.ts')

/** Starts the process that appends, under `wrapper` if there is one. */
export const appender = (t: Test, file: string, callers: number, events?: number, wrapper: string[] = []) => {
  const [command = '', ...args] = [
    ...wrapper,
    ...[process.execPath, fixture, file, String(callers)],
    ...(events === undefined ? [] : [String(events)]),
  ]
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  const kill = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // It is gone.
    }
  }
  t.teardown(kill)
  let output = ''
  child.stdout.on('data', chunk => {
    output += chunk
  })
  const closed = once(child, 'close')
  return {
    /** Positions acknowledged by whole lines, in the order said. */
    acknowledged: () => [...output.matchAll(/^ack (\d+)$/gm)].map(([, position]) => Number(position)),
    async until(reached: (output: string) => boolean) {
      for (let waited = 0; !reached(output); waited += 5) {
        if (waited > 60_000 || child.exitCode !== null)
          throw new Error(`the appender ended: ${output.slice(-200)}`)
        await new Promise(resolve => setTimeout(resolve, 5))
      }
    },
    /** Kills it without warning, and reads what it has said to the end. */
    async kill() {
      kill()
      await closed
    },
  }
}

/** Copies the files of a log, its WAL cut to `length` bytes. */
export const copyCut = (from: string, folder: string, length: number): string => {
  const file = path.join(folder, 'cut.db')
  for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true })
  copyFileSync(from, file)
  if (existsSync(`${from}-wal`)) writeFileSync(`${file}-wal`, readFileSync(`${from}-wal`).subarray(0, length))
  return file
}

/** Opens a log as the server does and tells how many events it holds without a hole; throws when it does not open. */
export const heldBy = (file: string): number => {
  const db: Database.Database = openForWriting(file, () => 'log_lost')
  try {
    const { held, last } = db
      .prepare<[], { held: number; last: number }>(
        `SELECT count(*) AS held, coalesce(max(position), 0) AS last
         FROM events JOIN streams ON streams.no = events.stream_no`,
      )
      .get() ?? { held: -1, last: -2 }
    if (held !== last) throw new Error(`${held} events up to position ${last}`)
    return held
  } finally {
    db.close()
  }
}
