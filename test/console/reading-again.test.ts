// How the console reads again: one read at a time.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { createPaced } from '../../console/api/paced.ts'
import { pause, until } from '../support/http.ts'

t.test('an earlier read never replaces what a later read has shown', async t => {
  let asked = 0
  const server = createServer(async (_, answer) => {
    const number = ++asked
    await pause(number === 1 ? 300 : 0)
    answer.end(`${number}`)
  }).listen(0)
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const shown: string[] = []
  const paced = createPaced(async () => {
    shown.push(await (await fetch(`http://localhost:${port}`)).text())
  })
  paced.now()
  await until(() => asked === 1)
  paced.now()
  paced.now()
  await until(() => shown.length >= 2)
  await pause(400)
  t.same(shown, ['1', '2'], 'two calls while a read is under way need one more read')
  paced.soon()
  paced.close()
  paced.now()
  await pause(100)
  t.equal(asked, 2, 'a closed view reads nothing')
})
