// A hundred webhooks of one receiver. npm run soak -- webhooks does the same with a thousand.
import t from 'tap'
import { serveHere } from '../support/server.ts'
import { manyWebhooks } from './many.ts'

t.test(
  'a path that never answers and a path that answers 500 delay none of 98 others',
  { timeout: 120_000 },
  async t => {
    const tasks = 3
    const warnings: string[] = []
    const onWarning = ({ message }: Error) => void warnings.push(message)
    process.on('warning', onWarning)
    t.teardown(() => process.off('warning', onWarning))
    const { api } = await serveHere(t, { ALLOW_PRIVATE_URLS: '1' })
    const many = await manyWebhooks(api, { webhooks: 100, tasks, patienceMs: 60_000 })
    t.teardown(many.close)
    await many.allWell()
    await many.twoBad()
    const [slow = [], refusing = []] = many.accepted
    t.same([slow.length, refusing.length], [tasks, tasks], 'the two got nothing meanwhile')
    await many.recover()
    t.same(await many.problems(), [], 'each got every event, in order')
    t.same(warnings, [], 'Node warns of nothing')
  },
)
