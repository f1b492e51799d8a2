// A retry after the server was killed: keys are in the log, and every answer of an earlier start counts as lost.
import t from 'tap'
import { read } from '../support/http.ts'
import { type Api, launch } from '../support/server.ts'

const yearly = { name: 'a', schedule: '@yearly', task: { user_message_content: 'go', client_id: 'echo' } }
const send = async (api: Api, where: string, body?: object, headers?: Record<string, string>) =>
  (await read(api('POST', `/cron/jobs${where}`, body, headers))).body as unknown as {
    job_id: string
    run_id: string
  }

t.test('after a kill, retries find the job and the run of the requests before it', async t => {
  const dataDir = t.testdir()
  const key = { 'idempotency-key': 'k' }
  const again = { 'x-stainless-retry-count': '1' }
  let server = await launch(dataDir)
  t.teardown(() => server.end('SIGKILL'))
  const keyed = await send(server.api, '', yearly, key)
  const run = await send(server.api, `/${keyed.job_id}/trigger`, undefined, key)
  const two = [await send(server.api, '', yearly), await send(server.api, '', yearly)]
  await server.end('SIGKILL')
  server = await launch(dataDir)
  t.equal((await send(server.api, '', yearly, key)).job_id, keyed.job_id)
  t.equal((await send(server.api, `/${keyed.job_id}/trigger`, undefined, key)).run_id, run.run_id)
  const claimed = [await send(server.api, '', yearly, again), await send(server.api, '', yearly, again)]
  t.same(claimed.map(({ job_id }) => job_id).sort(), two.map(({ job_id }) => job_id).sort(), 'each once')
  const third = await send(server.api, '', yearly, again)
  t.notOk(two.some(({ job_id }) => job_id === third.job_id))
})
