// Pages of the completed steps of all tasks: their cost depends on the page, not on its place in the log.
import t from 'tap'
import { openReadStore } from '../../projections/store.ts'
import { createStepRows, sliceSteps } from '../../projections/tasks/steps.ts'

const tasks = 3000
const rare = 250

t.test(
  'a page visits as many steps as it shows; for one user it passes over those of others once',
  async t => {
    const store = openReadStore(':memory:')
    t.teardown(() => store.close())
    const addTask = store.prepare(
      `INSERT INTO tasks (position, id, user_id, session_id, status, agent, created_at, subtask, deleted, fields, sum,
       summary, summary_sum, principal, digest, request_id, has_key, inputs, rollouts, row_sum)
     VALUES (?, ?, ?, '', 'completed', 'echo', 0, 0, 0, '{}', 0, '{}', 0, '', '', '', 1, '[]', 0, 0)`,
    )
    const addStep = store.prepare('INSERT INTO steps (position, task) VALUES (?, ?)')
    store.transaction(() => {
      for (let n = 1; n <= tasks; n++) {
        addTask.run(2 * n, `task_${n}`, n % rare === 0 ? 'rare' : 'busy')
        addStep.run(2 * n + 1, 2 * n)
      }
    })()
    let visited = 0
    const steps = createStepRows(
      {
        ...store,
        prepare(sql: string) {
          const statement = store.prepare<unknown[], unknown>(sql)
          const all = (...given: unknown[]) => {
            const rows = statement.all(...given)
            visited += rows.length
            return rows
          }
          return { ...statement, all }
        },
      } as typeof store,
      ask => ask(),
    )
    const page = async (after: number, limit: number, user?: string) => {
      visited = 0
      return steps(after, limit, user, async () => {})
    }
    for (const after of [0, tasks, 2 * tasks - 200]) {
      t.equal((await page(after, 50)).length, 50)
      t.equal(visited, 50, `after ${after}`)
    }
    const seen: string[] = []
    let all = 0
    for (let after = 0, more = true; more; all += visited) {
      const found = await page(after, 5, 'rare')
      seen.push(...found.map(({ id }) => id))
      after = found.at(-1)?.position ?? after
      more = found.length > 0
    }
    t.same(
      seen,
      Array.from({ length: tasks / rare }, (_, n) => `task_${(n + 1) * rare}`),
    )
    t.ok(all <= tasks + 4 * sliceSteps, `${all} of ${tasks} for all pages of one user`)
  },
)
