// What is resumed when the log can be written again, while the read models are not current yet.
import t from 'tap'
import { Refusal } from '../../src/contract/refusals.ts'
import { createRecovery } from '../../src/shard/recovery.ts'
import { retriedBy } from '../../src/tasks/when-current.ts'
import { until } from '../support/http.ts'

t.test(
  'tasks are resumed after a failure of the log although the read models are damaged just then',
  async t => {
    const lines: string[] = []
    let reopened = async (): Promise<void> => {}
    let damaged = false
    let resumed = 0
    createRecovery({
      log: {
        onReopened(listener) {
          reopened = async () => listener()
        },
      },
      projector: { catchUp: async () => {} },
      tasks: {
        queries: {
          unfinished() {
            if (damaged) throw new Refusal('ReadModelsBehind')
            return []
          },
        },
        takePlaces() {
          damaged = true
        },
        resume: async () => void resumed++,
      } as never,
      sessions: { active: () => [] },
      cron: { resume: async () => {}, queries: { secretRefs: () => [] } } as never,
      quotas: { fill() {} },
      secrets: { sweep() {}, refs: () => [] },
      whenCurrent: retriedBy(
        async () => {
          damaged = false
        },
        () => false,
      ),
      isClosed: () => false,
      report: (_, line) => void lines.push(line),
    })
    await reopened()
    await until(() => resumed === 1)
    t.same(lines, ['the event log can be written again'])
  },
)
