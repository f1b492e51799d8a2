// The long form of the lines in sessions.test.ts: `npm run doors -- acp`. What ACP's own client says is in the tests of this folder.
import t from 'tap'
import { adminToken, serveHere } from '../../support/server.ts'
import { fuzz } from './fuzz.ts'

t.setTimeout(600_000)

t.test('5,000 lines made by chance', async t => {
  const server = await serveHere(t)
  await server.api('POST', '/tasks', { user_message_content: 'Hi', stream: false, session_id: 'acp-1' })
  await fuzz(t, 5000, { REPRISE_URL: server.url, REPRISE_TOKEN: adminToken })
  t.same(
    server.lines.filter(({ level }) => level === 'error'),
    [],
    'the server has seen nothing that it cannot answer',
  )
})
