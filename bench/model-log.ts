import path from 'node:path'
import Database from 'better-sqlite3'
import { newFolder } from './support/folder.ts'
import { adminToken, startModelEndpoint, startOurs } from './support/server.ts'
import { short } from './support/stats.ts'

export const about =
  'bytes that a task with a model leaves in the log: for its text, and for each step of a long task'

type Row = { type: string; bytes: number }

/** The stored events of a task, oldest first, with header, payload, salt and leaf. */
const eventsOf = (folder: string, taskId: string): Row[] => {
  const db = new Database(path.join(folder, 'log.db'), { readonly: true })
  const rows = db
    .prepare<[string], Row>(
      `SELECT json_extract(e.header, '$.type') AS type,
         length(e.header) + length(CAST(e.payload AS BLOB)) + length(e.salt) + length(e.leaf) AS bytes
       FROM events e JOIN streams s ON s.no = e.stream_no WHERE s.id = ? ORDER BY e.position`,
    )
    .all(`task-${taskId}`)
  db.close()
  return rows
}
const sum = (rows: Row[]): number => rows.reduce((total, { bytes }) => total + bytes, 0)

export const run = async (): Promise<void> => {
  const endpoint = await startModelEndpoint()
  const folder = newFolder('ours')
  const ours = await startOurs(folder, [], {
    MODEL_BASE_URL: `${endpoint.url}/v1`,
    MODEL: 'whole-1000',
    MODEL_MAX_STEPS: '0',
  })
  const task = async (body: object) => {
    const answer = await fetch(`${ours.url}/v1/tasks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ user_message_content: 'go', stream: false, ...body }),
    })
    const { result } = (await answer.json()) as { result: { id: string; status: string; output: unknown[] } }
    if (result.status !== 'completed') throw new Error(JSON.stringify(result).slice(0, 500))
    return result
  }
  const textOf = (output: unknown[]) =>
    JSON.stringify(output)
      .match(/"text":"([^"]*)"/g)
      ?.reduce((total, text) => total + text.length - 9, 0) ?? 0

  for (const count of [1000, 10_000]) {
    const { id, output } = await task({ agent_config: { model: `whole-${count}` } })
    const rows = eventsOf(folder, id)
    const ratio = sum(rows) / textOf(output)
    console.log(
      `${count} tokens at once: ${short(sum(rows))} bytes in ${rows.length} events, ${short(ratio)} x the text   target <= 3`,
    )
  }
  const { id } = await task({
    agent_config: { model: 'paced-200' },
    allowed_tools: [],
    allowed_subagents: [],
  })
  const deltas = eventsOf(folder, id).filter(({ type }) => type === 'ItemDelta')
  console.log(
    `paced at 50 tokens/s: ${deltas.length} stored deltas in ${(5 * 200 * 20) / 1000} s, ` +
      `${short(sum(deltas) / deltas.length)} bytes each   target <= 700, one each 50 ms`,
  )
  const steps = 1000
  const long = await task({ agent_config: { model: `steps-${steps}` } })
  const perStep: number[] = [0]
  for (const { type, bytes } of eventsOf(folder, long.id)) {
    perStep.push((perStep.pop() ?? 0) + bytes)
    if (type === 'EffectCompleted') perStep.push(0)
  }
  const around = (step: number) =>
    sum(perStep.slice(step - 3, step + 2).map(bytes => ({ type: '', bytes }))) / 5
  const [early, late] = [around(10), around(steps - 5)]
  console.log(
    `a step: ${short(early)} bytes at step 10, ${short(late)} at step ${steps - 5}: ${short(late / early)} x   target <= 1.2`,
  )
  await ours.stop()
  await endpoint.stop()
}
