// A session that has ended is made again under its id. It is then like any other, however many sessions end meanwhile.
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { until } from '../support/http.ts'
import { serveHere } from '../support/server.ts'
import { envCalls, modules } from './env-calls.ts'

t.test('the step of a session that was made again ends well while other sessions end', async t => {
  const { api } = await serveHere(t, { ENV_PATH: modules })
  const env = envCalls(api)
  /** After the second end, the actor of the session was read from the log, so it stays in memory for a while. */
  const endTwice = async (session_id: string) => {
    for (let n = 0; n < 2; n++) {
      await env.made({ session_id })
      t.equal((await env.close(session_id)).status, 200)
    }
  }
  await endTwice('again')
  await env.made({ session_id: 'again' })
  const file = path.join(t.testdir(), 'go')
  const holding = env.step('again', 'hold', { file })
  await until(() => existsSync(`${file}.begun`))
  for (const other of ['a', 'b', 'c', 'd', 'e']) await endTwice(other)
  writeFileSync(file, '')
  const { status, text, body } = await holding
  t.equal(status, 200, text)
  t.equal(body.step, 1)
  t.equal((await env.add('again', 2)).body.state.total, 3, 'and the next step finds it as it was')
})
