// Some hundred random requests. SEED=n repeats a run; test/soak/http-fuzz.ts makes a long one.
import t from 'tap'
import { adminToken, serveHere } from '../support/server.ts'
import { fuzz } from './fuzz.ts'
import { fuzzOperations } from './fuzz-operations.ts'

const { url, api, lines } = await serveHere(t, { QUOTA_CRON_JOBS: '10', MAX_SESSIONS: '10' })
const seed = Number(process.env.SEED ?? 20_260_101)

t.test(`random requests are all answered as promised (SEED=${seed})`, async t => {
  const { wrong, statuses } = await fuzz(url, adminToken, seed, 400)
  t.same(wrong, [], `SEED=${seed}`)
  for (const status of [200, 401, 404, 405, 422]) t.ok(statuses[status], `${status} was among the answers`)
})

t.test(
  `random requests to every operation get answers that the document describes (SEED=${seed})`,
  async t => {
    const { wrong, statuses } = await fuzzOperations(url, adminToken, seed, 400)
    t.same(wrong, [], `SEED=${seed}`)
    for (const status of [200, 404, 422]) t.ok(statuses[status], `${status} was among the answers`)
  },
)

t.test('the server is well, and the operator was told of no error', async t => {
  t.equal((await api('GET', '/tasks?limit=100')).status, 200)
  t.same(
    lines.filter(line => line.level === 'error'),
    [],
  )
})
