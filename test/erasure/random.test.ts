// Random chats, forks and subagents, of which random parts are erased: the read models are those that the log gives, the
// log verifies, and no text of what was erased is in any file.
import path from 'node:path'
import t from 'tap'
import type { Difference } from '../../projections/compare.ts'
import { compareAll } from '../../src/cli/log/compared.ts'
import { openLogReadOnly } from '../../src/log/read-only.ts'
import { verifyLog } from '../../src/maintenance/verify/verify-log.ts'
import fc from '../support/fast-check.ts'
import { serveHere } from '../support/server.ts'
import { filesWith, makeTask, ok, scripted } from './support.ts'

const { api, dataDir } = await serveHere(t)
const file = path.join(dataDir, 'log.db')

const kinds = fc.constantFrom('plain', 'long', 'subagent', 'fork', 'fails')
const made = fc.record({ kind: kinds, session: fc.nat(2), user: fc.nat(1) })
const wish = fc.record({
  what: fc.constantFrom('task', 'session', 'user'),
  nth: fc.nat(20),
  cascade: fc.boolean(),
})
const plan = fc.record({
  tasks: fc.array(made, { minLength: 3, maxLength: 8 }),
  wishes: fc.array(wish, { minLength: 1, maxLength: 4 }),
})

type Made = { id: string; word: string; user_id: string; session_id: string }
let run = 0
let words = 0

/** Each task has a word of its own in all its texts. */
const make = async (
  tasks: Made[],
  { kind, session, user }: { kind: string; session: number; user: number },
) => {
  const [user_id, session_id, word] = [`u${run}-${user}`, `s${run}-${user}-${session}`, `WORD-${++words}-END`]
  const last = tasks.at(-1)
  if (kind === 'fork' && last !== undefined) {
    const body = { at: 1, user_message_content: word }
    const { id } = await ok<{ id: string }>(api('POST', `/tasks/${last.id}/fork`, body))
    for (let status = ''; !/completed|failed/.test(status); )
      status = (await ok<{ result: { status: string } }>(api('GET', `/tasks/${id}`))).result.status
    return void tasks.push({ id, word, user_id: last.user_id, session_id: last.session_id })
  }
  const more: Record<string, object> = {
    long: { user_message_content: `${word} `.repeat(20_000) },
    subagent: scripted({ subagent: 'echo', input: word }, { message: word }),
    fails: scripted({ fail: { code: -32000, message: word } }),
  }
  const { id } = await makeTask(api, { user_message_content: word, user_id, session_id, ...more[kind] })
  tasks.push({ id, word, user_id, session_id })
}

const differences = async (): Promise<Difference[]> => {
  const found: Difference[] = []
  const log = openLogReadOnly(file)
  const models = {
    log,
    file: path.join(dataDir, 'read.db'),
    onDifference: (one: Difference) => void found.push(one),
  }
  await compareAll(models, () => {})
  await log.close()
  return found
}

t.test('whatever is erased, the rest is as if the log had been read anew', async t => {
  let refusals = 0
  let erased = 0
  const property = fc.asyncProperty(plan, async ({ tasks: wanted, wishes }) => {
    run++
    const tasks: Made[] = []
    for (const each of wanted) await make(tasks, each)
    for (const { what, nth, cascade } of wishes) {
      const { id, session_id, user_id } = tasks[nth % tasks.length] as Made
      const where = {
        task: `/tasks/${id}`,
        session: `/env/session/${session_id}`,
        user: `/users/${user_id}/data`,
      }
      const query = what === 'user' ? '' : `erase=true&cascade=${cascade}&`
      const { status } = await api('DELETE', `${where[what as 'task']}?${query}reason=x`)
      if (![200, 404, 409].includes(status)) throw new Error(`${what}: ${status}`)
      if (status === 409) refusals++
    }
    for (const { id, word } of tasks) {
      const { status } = await api('GET', `/tasks/${id}`)
      const files = filesWith(dataDir, word)
      if (status === 404) erased++
      if (status === 404 && files.length > 0) throw new Error(`${word} of ${id} is in ${files}`)
      if (status !== 404 && files.length === 0) throw new Error(`${word} of ${id} is lost`)
    }
    const found = await differences()
    if (found.length > 0) throw new Error(JSON.stringify(found.slice(0, 3)))
    const given = { log: file, ownCheckpoints: undefined, checkpoints: [], key: undefined }
    await verifyLog(given, () => {})
  })
  await fc.assert(property, { numRuns: 4, endOnFailure: true })
  t.ok(erased > 0, `${erased} tasks were erased, and ${refusals} requests were refused`)
})
