// What servers say of themselves, and of their own copies of a stream, at their monitoring addresses.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { type CopyState, statesOfCopies } from '../../src/cluster/nats/monitors.ts'
import { freePort } from '../../src/platform/free-port.ts'
import { natsCluster, noNats, until } from '../support/nats-cluster.ts'
import { newLog } from './nats-support.ts'

t.test('each server tells what its own copy of a stream has', { skip: noNats }, async t => {
  const cluster = await natsCluster(t)
  const { name, open } = await newLog(cluster)
  const log = await open(t)
  for (let n = 0; n < 5; n++) await log.append(n, new Uint8Array(100))
  const states = await until('five records on each server', async () => {
    const states = (await statesOfCopies(cluster.monitorUrls, name)) as CopyState[]
    const isStored = ({ last, bytes, disk }: CopyState) => last === 5 && bytes > 500 && disk.used >= bytes
    return states.every(isStored) && states
  })
  t.match(
    states,
    [0, 1, 2].map(place => ({
      ...{ url: cluster.monitorUrls[place], server: `nats-${place}`, version: cluster.version },
      ...{ syncAlways: cluster.isSynced || undefined, hasCopy: true, messages: 5, first: 1, last: 5 },
      ...{ copies: 3, deleted: 0, lag: 0, disk: { most: Number } },
    })),
  )
  const leader = await cluster.leaderOf(name)
  t.same(
    states.map(({ isLeader }) => isLeader),
    [0, 1, 2].map(place => place === leader),
  )

  const away = (leader + 1) % 3
  await cluster.kill(away)
  const atLeader = await open(t, await cluster.client([leader]))
  await atLeader.append(5, new Uint8Array(1))
  await cluster.isolate(away)
  await cluster.start(away)
  t.match((await statesOfCopies(cluster.monitorUrls, name))[away], { last: 5, lag: 1, isLeader: false })
  await cluster.kill(away)
  t.same((await statesOfCopies(cluster.monitorUrls, name))[away], {
    url: cluster.monitorUrls[away],
    error: 'ECONNREFUSED',
  })
  t.match(await statesOfCopies(cluster.monitorUrls, 'NONE'), {
    [leader]: { hasCopy: false, messages: 0, lag: 0 },
  })
})

t.test('an address that is no server, or does not answer, is listed with the reason', async t => {
  const answers = [
    (): [number, string] => [404, ''],
    (): [number, string] => [200, '<html>'],
    (): [number, string] => [200, '{}'],
  ]
  const urls: string[] = []
  for (const answer of [...answers, undefined]) {
    const server = createServer((_, response) => {
      if (answer === undefined) return
      const [status, text] = answer()
      response.writeHead(status).end(text)
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    t.teardown(() => {
      server.closeAllConnections()
      server.close()
    })
    urls.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  }
  urls.push(`http://127.0.0.1:${await freePort()}`)
  const no = 'this is no monitoring address of a NATS server'
  t.same(
    await statesOfCopies(urls, 'S'),
    ['it answers 404', no, no, 'no answer within 2 s', 'ECONNREFUSED'].map((error, n) => ({
      url: urls[n],
      error,
    })),
  )
})
