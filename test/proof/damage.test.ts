// Proofs and tiles of a log that somebody has changed: they are refused as the damaged event itself is.

import path from 'node:path'
import Database from 'better-sqlite3'
import t from 'tap'
import { read, until } from '../support/http.ts'
import { serveHere } from '../support/server.ts'

t.test('proofs that need an event that is gone are answered 503, with its position', async t => {
  const { api, dataDir, lines } = await serveHere(t)
  const size = 300
  const gone = 200
  const checkpoint = async () => Number((await read(api('GET', '/audit/checkpoint'))).text.split('\n')[1])
  const echo = { user_message_content: 'x', stream: false, client_id: 'echo' }
  await until(async () => {
    await read(api('POST', '/tasks', echo))
    return (await checkpoint()) >= size
  })
  const db = new Database(path.join(dataDir, 'log.db'))
  db.exec(`DROP TRIGGER events_are_never_removed; DELETE FROM events WHERE position = ${gone}`)
  db.close()
  for (const where of [
    `/proof?position=190&tree_size=${size}`,
    `/consistency?from=190&to=${size}`,
    '/tlog/tile/0/000',
    '/tlog/tile/entries/000',
  ]) {
    const { status, body } = await read(api('GET', `/audit${where}`))
    t.match({ status, body }, { status: 503, body: { code: -32603, data: { position: gone } } }, where)
  }
  t.equal((await api('GET', `/audit/proof?position=280&tree_size=${size}`)).status, 200, 'others are proven')
  t.same(
    lines.filter(({ level }) => level === 'error'),
    [],
    'a damaged log is no defect of the server',
  )
})
