// The tasks that a retry without a key may have made. The indexes find what a look at every row finds.
import t from 'tap'
import { scratchStore } from '../../projections/read-only.ts'
import { createTwinRows } from '../../projections/tasks/twins.ts'
import { randomOf } from '../support/world.ts'

t.test(
  'a retry finds the tasks of its body that have not ended, and those that ended since a time',
  async t => {
    const store = scratchStore()
    t.teardown(() => store.close())
    const insert = store.prepare(
      `INSERT INTO tasks (position, id, user_id, session_id, status, agent, created_at, subtask, deleted, fields, sum,
       summary, summary_sum, principal, digest, request_id, has_key, inputs, rollouts, ended_at, row_sum)
     VALUES (?, ?, '', '', '', '', 0, 0, ?, '', 0, '', 0, ?, ?, '', ?, '', 0, ?, 0)`,
    )
    const random = randomOf(1)
    const one = <T>(of: T[]): T => of[Math.floor(random() * of.length)] as T
    /** Some begin in the same way. */
    const digests = ['same-start-a', 'same-start-b', 'other']
    const principals = ['ann', 'bob']
    const rows = Array.from({ length: 3000 }, (_, n) => ({
      ...{ position: n + 1, digest: one(digests), principal: one(principals) },
      ...{ deleted: one([0, 0, 0, 1, 2]), hasKey: one([0, 0, 1]) },
      endedAt: random() < 0.1 ? null : Math.floor(random() * 90_000) + one([0, 0, 5_000_000]),
    }))
    for (const { position, digest, principal, deleted, hasKey, endedAt } of rows)
      insert.run(position, `t${position}`, deleted, principal, digest, hasKey, endedAt)

    const twinsOf = createTwinRows(store)
    let found = 0
    for (const since of [0, 1, 9_999, 10_000, 10_001, 45_678, 89_999, 100_000, 5_050_000, 6_000_000]) {
      for (const digest of [...digests, 'none']) {
        for (const principal of principals) {
          const wanted = rows.filter(
            row =>
              row.digest === digest &&
              row.principal === principal &&
              row.deleted === 0 &&
              row.hasKey === 0 &&
              (row.endedAt === null || row.endedAt >= since),
          )
          const twins = twinsOf(principal, digest, since).map(({ position }) => position)
          t.same(
            twins,
            wanted.map(({ position }) => position),
            `${principal} ${digest} ${since}`,
          )
          found += twins.length
        }
      }
    }
    t.ok(found > 5000)
  },
)
