// What a create in a session costs, by the turns that the session has and by the other tasks of its user.
import Database from 'better-sqlite3'
import { newFolder } from './support/folder.ts'
import { createCaller } from './support/one-by-one.ts'
import { logFile } from './support/open-log.ts'
import { runNanosOf } from './support/process-use.ts'
import { startOurs } from './support/server.ts'
import { median, short } from './support/stats.ts'

export const about =
  'creates in sessions of 1, 50 and 500 turns, by users with 1 and 3,000 other tasks: processor time, bytes in the log'

const turnsOf = [1, 50, 500]
const othersOf = [1, 3000]
const rounds = 3
const calls = 20
const text =
  'How many words does an ordinary turn of a conversation have? About twenty, if people are asked for them.'

/** Bytes of the headers, payloads and salts of a session's newest task. */
const bytesOfTurn = (file: string, session: string): number => {
  const db = new Database(file, { readonly: true })
  const bytes = db
    .prepare<[string], number>(
      `WITH found AS (SELECT stream_no, header, payload, salt FROM events WHERE header LIKE ?)
       SELECT SUM(length(header) + length(payload) + length(salt)) FROM found
       WHERE stream_no = (SELECT MAX(stream_no) FROM found)`,
    )
    .pluck()
    .get(`%"session_id":"${session}"%`)
  db.close()
  return bytes ?? Number.NaN
}

export const run = async (): Promise<void> => {
  const folder = newFolder('session')
  const server = await startOurs(folder, [], { QUOTA_TASKS: '0' })
  const caller = await createCaller(server.url)
  const create = (user_id: string, session_id?: string) =>
    caller.post('/v1/tasks', {
      ...{ stream: false, client_id: 'echo', user_message_content: text, user_id },
      ...(session_id === undefined ? {} : { session_id }),
    })
  const userWith = (others: number) => `user-${others}`
  for (const others of othersOf) for (let n = 0; n < others; n++) await create(userWith(others))

  const measured = new Map<string, { micros: number[]; bytes: number }>()
  for (let round = -1; round < rounds; round++) {
    for (const others of othersOf) {
      for (const turns of turnsOf) {
        // A session grows by at most a tenth while it is measured.
        const each = Math.max(1, Math.min(calls, Math.floor(turns / 10)))
        const sessions = Array.from({ length: calls / each }, (_, n) => `s-${others}-${turns}-${round}-${n}`)
        for (const session of sessions) {
          for (let n = 0; n < turns; n++) await create(userWith(others), session)
        }
        await new Promise(resolve => setTimeout(resolve, 500))
        const before = runNanosOf(server.pid)
        for (const session of sessions) {
          for (let n = 0; n < each; n++) await create(userWith(others), session)
        }
        await new Promise(resolve => setTimeout(resolve, 300))
        const micros = (runNanosOf(server.pid) - before) / calls / 1000
        const bytes = bytesOfTurn(logFile(folder), sessions[0] ?? '')
        const name = `${turns} ${others}`
        const cell = measured.get(name) ?? { micros: [], bytes }
        if (round >= 0) cell.micros.push(micros)
        measured.set(name, { ...cell, bytes })
      }
    }
  }
  caller.close()
  await server.stop()

  const base = measured.get(`${turnsOf[0]} ${othersOf[0]}`)
  console.log(
    '| Turns | Other tasks of the user | Processor time of a create | Ratio | Bytes of a turn | Ratio |',
  )
  console.log('|---|---|---|---|---|---|')
  for (const turns of turnsOf) {
    for (const others of othersOf) {
      const cell = measured.get(`${turns} ${others}`)
      if (cell === undefined || base === undefined) continue
      const ratio = median(cell.micros.map((value, round) => value / (base.micros[round] ?? Number.NaN)))
      console.log(
        `| ${turns} | ${others.toLocaleString('en')} | ${short(median(cell.micros))} µs | ${ratio.toFixed(2)} | ${short(cell.bytes)} | ${(cell.bytes / base.bytes).toFixed(2)} |`,
      )
    }
  }
}
