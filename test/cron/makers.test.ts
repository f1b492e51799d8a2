// The check of makers after a start, and after the log was opened again.
import t from 'tap'
import { Refusal } from '../../src/contract/refusals.ts'
import { createMakers } from '../../src/cron/makers.ts'

t.test('a job that was deleted meanwhile does not keep other jobs from being paused', async t => {
  const rows = ['one', 'two'].map(id => ({ id, maker_token: 'tok', maker_user: 'ann' }))
  const { check } = createMakers({ hasToken: () => false, tokens: () => [] }, { active: () => rows as never })
  const asked: string[] = []
  await check({
    ask(stream) {
      asked.push(stream)
      return stream === 'cron-one'
        ? Promise.reject(new Refusal('CronJobNotFound'))
        : (Promise.resolve({}) as never)
    },
  })
  t.same(asked, ['cron-one', 'cron-two'])
})
