// The row that stays in the place of an erased task.
import t from 'tap'
import { openReadStore } from '../../projections/store.ts'
import { sumOfRow } from '../../projections/sums.ts'
import { taskEraser } from '../../projections/tasks/erased.ts'
import { blankKeys, type TaskKeys, taskKeys } from '../../projections/tasks/schema.ts'
import { fillTasks } from '../support/many-tasks.ts'

t.test('an erased task leaves its place, its id and its user, and nothing else that was said of it', t => {
  const store = openReadStore(':memory:')
  t.teardown(() => store.close())
  fillTasks(store, 3)
  const { id, position, user_id } = store.prepare('SELECT * FROM tasks ORDER BY position LIMIT 1').get() as {
    id: string
    position: number
    user_id: string
  }
  taskEraser(store)(`task-${id}`)
  const row = store.prepare('SELECT * FROM tasks WHERE id = ?').get(id) as TaskKeys & Record<string, unknown>
  const keys = Object.fromEntries(taskKeys.map(key => [key, row[key]]))
  t.strictSame(keys, { ...blankKeys, id, user_id })
  t.match(row, { position, created_at: 0, fields: '{}', summary: '{}', inputs: '[]', has_key: 1 })
  t.equal(row.row_sum, sumOfRow<TaskKeys>(row, {}))
  t.end()
})
