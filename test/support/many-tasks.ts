// Read models of many tasks, written directly into the tables of the projection: the speed of a list depends only on
// the content of the tables.
import type { ReadStore } from '../../projections/store.ts'
import { sumOf, sumOfRow } from '../../projections/sums.ts'

export type Models = { tasks: number; busyUser: string }

const users = 1000
const factsPerTask = 7
const batch = 10_000

/** Ids that are like real ones: ordered by time, and equal except for their last characters. */
export const idOfTask = (n: number): string => `task_01a1fc27197a7665${n.toString(16).padStart(16, '0')}`

const statusOf = (n: number): string => {
  if (n % 50 === 3) return 'failed'
  if (n % 50 === 7) return 'canceled'
  return 'completed'
}
/** Every tenth task belongs to one busy user; the other users share the rest. */
const userOf = (n: number): string => `user-${n % 10 === 0 ? 0 : (n * 7919) % users}`

const summary = JSON.stringify({ question: 'Which animal jumps over which?' })
const text = 'the quick brown fox jumps over the lazy dog '.repeat(14)

export const fillTasks = (store: ReadStore, tasks: number): Models => {
  const insert = store.prepare(
    `INSERT INTO tasks (position, id, user_id, session_id, status, agent, created_at, subtask, deleted, fields, sum,
       summary, summary_sum, principal, digest, request_id, has_key, secret_ref, inputs, rollouts, deadline, ended_at,
       ended_position, row_sum)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, NULL, ?, ?, NULL, ?, ?, ?)`,
  )
  const putItem = store.prepare('INSERT INTO items (task, n, body, sum) VALUES (?, 0, ?, ?)')
  const write = store.transaction((from: number, to: number) => {
    for (let n = from; n < to; n++) {
      const position = n * factsPerTask + 1
      const [id, user_id, status] = [idOfTask(n), userOf(n), statusOf(n)]
      const session_id = `sess_${id.slice(5)}`
      const item = `msg_${id.slice(5)}`
      const fields = JSON.stringify({
        object: 'task',
        id,
        session_id,
        user_id,
        status,
        created_at: 1_795_231_783 + n,
      })
      const keys = {
        id,
        user_id,
        session_id,
        status,
        agent: 'echo',
        subtask: 0,
        deleted: 0,
        principal: 'admin',
        digest: ((n * 2654435761) % 2 ** 32).toString(16).padStart(43, 'd'),
        request_id: `req_${id.slice(5)}`,
        ended_at: 1_795_231_783_000 + n,
        rollouts: 0,
      }
      insert.run(
        position,
        id,
        user_id,
        session_id,
        status,
        keys.agent,
        keys.ended_at,
        keys.subtask,
        keys.deleted,
        fields,
        sumOf(fields),
        summary,
        sumOf(summary),
        keys.principal,
        keys.digest,
        keys.request_id,
        JSON.stringify([item]),
        keys.rollouts,
        keys.ended_at,
        status === 'completed' ? position + factsPerTask - 1 : null,
        sumOfRow(keys, {}),
      )
      const message_content = [{ type: 'output_text', text }]
      const body = JSON.stringify({
        type: 'message',
        id: item,
        status: 'completed',
        role: 'assistant',
        message_content,
      })
      putItem.run(position, body, sumOf(body))
    }
  })
  for (let from = 0; from < tasks; from += batch) write(from, Math.min(tasks, from + batch))
  store.transaction(() => {
    for (const user of ['user_id', "''"])
      store
        .prepare(
          `INSERT INTO task_counts SELECT ${user}, agent, subtask, deleted, status, count(*) FROM tasks
           GROUP BY 1, 2, 3, 4, 5`,
        )
        .run()
  })()
  store.commit()
  store.pragma('wal_checkpoint(TRUNCATE)')
  return { tasks, busyUser: userOf(0) }
}
