// GET /v1/metrics/past-hour: what the server did, in samples that it keeps for an hour and no longer.
import t from 'tap'
import { samplePastHour, sampleSeconds } from '../../src/metrics/past-hour.ts'
import { createRequestCounts } from '../../src/metrics/request-counts.ts'
import { read } from '../support/http.ts'
import { apiOf, serveHere } from '../support/server.ts'

t.test('a sample holds what happened since the one before, and an hour of them is kept', async t => {
  let [now, head] = [1_800_000_000_000, 100]
  let tick = () => {}
  let every = 0
  const requests = createRequestCounts()
  const timers = {
    after: () => () => {},
    every(ms: number, job: () => void) {
      every = ms
      tick = job
      return () => {}
    },
  }
  const hour = samplePastHour({
    world: { clock: { now: () => now }, timers },
    head: () => head,
    lag: () => 3,
    requests,
  })
  t.teardown(hour.stop)
  t.equal(every, sampleSeconds * 1000)
  t.same(hour.after(0), [], 'nothing before the first sample')
  const goOn = (events: number) => {
    now += every
    head += events
    tick()
  }
  const ended = { method: 'GET', route: '/v1/tasks', status: 200 }
  for (let n = 0; n < 10; n++) requests.end(ended, 0.01)
  goOn(50)
  const [first] = hour.after(0)
  t.match(first, { at: now / 1000, events_per_second: 10, requests_per_second: 2, lag_positions: 3 })
  t.ok((first?.memory_bytes ?? 0) > 10_000_000)
  t.ok((first?.loop_p99_seconds ?? -1) >= 0)
  goOn(0)
  t.match(hour.after(first?.at ?? 0), [{ events_per_second: 0, requests_per_second: 0 }], 'only newer ones')
  for (let n = 0; n < 2000; n++) goOn(1)
  const kept = hour.after(0)
  t.equal(kept.length, 3600 / sampleSeconds)
  t.equal((kept.at(-1)?.at ?? 0) - (kept[0]?.at ?? 0), 3600 - sampleSeconds)
})

t.test('admins and auditors see it, and users do not', async t => {
  const { api, url } = await serveHere(t)
  const tokenOf = async (role: string) =>
    ((await read(api('POST', '/auth/tokens', { role }))).body as unknown as { token: string }).token
  for (const [role, status] of [
    ['admin', 200],
    ['auditor', 200],
    ['user', 403],
  ] as const)
    t.equal((await apiOf(url, await tokenOf(role))('GET', '/metrics/past-hour')).status, status, role)
})
