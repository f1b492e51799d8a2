// The behaviour that every library has, in this process and over a WebSocket.
import tap from 'tap'
import { worker } from '../../library/agent/worker.ts'
import { cases, playCase } from './support/cases.ts'
import { hostHere, workerServer } from './support/peer.ts'
import { program } from './support/programs.ts'

for (const one of cases) tap.test(one.name, t => playCase(t, hostHere({ program }), 'program', one))

tap.test('over a WebSocket', async t => {
  const server = await workerServer(t)
  const isThere = worker({ url: server.url, token: 'secret', agents: { program }, signals: false })
  const connection = await server.connection()
  t.match(await connection.next(), { type: 'hello', protocol: 1, slots: 16, agents: [{ name: 'program' }] })
  connection.send({ type: 'welcome', agents: ['program'], refused: [] })
  const { stop } = await isThere
  for (const one of cases) await t.test(one.name, sub => playCase(sub, connection, 'program', one))
  await stop()
})
