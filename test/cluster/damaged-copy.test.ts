// One NATS server has a damaged copy of the log on its disk. The other copies are whole, and readers use these.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import t, { type Test } from 'tap'
import type { Flaw } from '../../src/cluster/nats/copies.ts'
import type { SharedLog, SharedRecord } from '../../src/cluster/shared-log.ts'
import { MissingRecord, UnfitRecord } from '../../src/cluster/shared-log.ts'
import { type NatsCluster, natsCluster, noNats, type Place, until } from '../support/nats-cluster.ts'
import { noNatsOf } from '../support/nats-programs.ts'
import { type NewLog, newLog } from './nats-support.ts'

const count = 1500
const bytesOf = (n: number) => Buffer.alloc(600, `${n} `)

const filled = async (t: Test, log: NewLog): Promise<SharedLog> => {
  const client = await log.open(t)
  await Promise.all(Array.from({ length: count }, (_, n) => client.append(n, bytesOf(n))))
  return client
}

/** The files in which a server keeps the records of a stream. */
const blocksOf = (cluster: NatsCluster, place: Place, stream: string): string[] =>
  readdirSync(cluster.storeOf(place), { recursive: true, encoding: 'utf8' })
    .filter(file => file.includes(`/${stream}/msgs/`) && file.endsWith('.blk'))
    .map(file => path.join(cluster.storeOf(place), file))

/** Changes some bytes in the middle of the copy of a server, which has ended. */
const damage = (cluster: NatsCluster, place: Place, stream: string): void => {
  for (const file of blocksOf(cluster, place, stream)) {
    const bytes = readFileSync(file)
    for (const share of [0.3, 0.4, 0.5]) {
      const at = Math.floor(bytes.length * share)
      bytes[at] = (bytes[at] ?? 0) ^ 0xff
    }
    writeFileSync(file, bytes)
  }
}
const allOf = async (log: SharedLog): Promise<SharedRecord[]> => {
  const all: SharedRecord[] = []
  for (;;) {
    const records = await log.read(all.length, 400)
    if (records.length === 0) return all
    all.push(...records)
  }
}
const areWhole = (records: readonly SharedRecord[]): boolean =>
  records.length === count &&
  records.every(({ sequence, bytes }, n) => sequence === n + 1 && bytesOf(n).equals(bytes))

/** Follows a log from its first record. Resolves with all records. */
const allFollowed = (log: SharedLog): Promise<SharedRecord[]> =>
  new Promise((resolve, reject) => {
    const all: SharedRecord[] = []
    const following = log.follow(
      0,
      records => {
        all.push(...records.filter(({ sequence }) => sequence > all.length))
        if (all.length < count) return
        resolve(all)
        void following.stop()
      },
      reject,
    )
  })

for (const line of ['system', 'current'] as const) {
  const skip = noNats || noNatsOf(line)
  t.test(`a damaged copy on the servers of the ${line} line`, { skip }, async t => {
    const cluster = await natsCluster(t, { line })
    const log = await newLog(cluster)
    await filled(t, log)
    const leader = await cluster.leaderOf(log.name)
    const [bad = 0, other = 0] = [0, 1, 2].filter(place => place !== leader)
    await cluster.kill(bad)
    damage(cluster, bad, log.name)
    await cluster.start(bad)
    await until('all copies', async () => {
      const { cluster: state } = await cluster.stream(log.name)
      return state?.replicas?.every(({ current, offline }) => current && !offline)
    })
    const flaws: Flaw[] = []
    const clientOf = () => log.open(t, { flawed: now => void flaws.push(...now) })

    await t.test('a reader gets every record, from whichever server it reads', async t => {
      for (let n = 0; n < 3; n++) t.ok(areWhole(await allOf(await clientOf())))
    })
    await t.test('a follower gets every record', async t => {
      t.ok(areWhole(await allFollowed(await clientOf())))
    })
    await t.test('it does so too when only the damaged copy and a whole one are left', async t => {
      await cluster.kill(leader)
      t.ok(areWhole(await allOf(await clientOf())))
      t.ok(areWhole(await allFollowed(await clientOf())))
      await cluster.start(leader)
    })
    await t.test('a damaged copy is no reason for another leader', async t => {
      const before = await cluster.leaderOf(log.name)
      const client = await clientOf()
      await client.leadByLongest(count - 1)
      t.equal(await cluster.leaderOf(log.name), before)
      await client.append(count, bytesOf(count))
    })
    // A copy that is only late may be noted, too, until it has caught up.
    if (line === 'system') t.ok(flaws.some(({ server }) => server === `nats-${bad}`))
    t.not(other, bad)
  })
}

t.test('a server that went back to an earlier state does not lead the others', { skip: noNats }, async t => {
  const cluster = await natsCluster(t)
  const log = await newLog(cluster)
  const client = await log.open(t)
  for (let n = 0; n < 20; n++) await client.append(n, bytesOf(n))
  const early = await cluster.leaderOf(log.name)
  const [second = 0, third = 0] = [0, 1, 2].filter(place => place !== early)
  const putBack = cluster.saveStore(early)
  for (let n = 20; n < 40; n++) await client.append(n, bytesOf(n))
  for (const place of [early, second, third]) await cluster.kill(place)
  putBack()
  await Promise.all([early, second, third].map(place => cluster.start(place)))
  const again = await log.open(t)
  await again.leadByLongest(20)
  await until('all records', async () => (await again.tail()) === 40)
  t.equal((await again.read(0, 40)).length, 40)
})

t.test(
  'records that do not fit come again from another server, until none is left',
  { skip: noNats },
  async t => {
    const cluster = await natsCluster(t)
    const log = await newLog(cluster)
    const client = await filled(t, log)
    const asked = new Set<string>()
    const error = await new Promise(resolve => {
      client.follow(
        0,
        records => {
          const wrong = records.find(({ sequence }) => sequence === 700)
          if (wrong === undefined) return
          asked.add(wrong.server ?? '')
          throw new UnfitRecord(700, 'is damaged')
        },
        resolve,
      )
    })
    t.ok(error instanceof UnfitRecord)
    t.ok(asked.size > 1, 'a copy that is late may not have been asked')
  },
)

t.test('a flaw is gone with the stream in which it was', { skip: noNats }, async t => {
  const cluster = await natsCluster(t)
  const log = await newLog(cluster)
  let flaws: readonly Flaw[] = []
  const client = await log.open(t, {
    flawed: now => {
      flaws = now
    },
  })
  for (let n = 0; n < 3; n++) await client.append(n, bytesOf(n))
  const [record] = await client.read(2, 1)
  if (record === undefined) throw new Error('there is no record')
  t.ok(await client.distrust(record))
  t.ok(flaws.some(({ server }) => server === record.server))
  const connection = await cluster.connected()
  const manager = await jetstreamManager(connection)
  const { config } = await manager.streams.info(log.name)
  await manager.streams.delete(log.name)
  await manager.streams.add({ ...config })
  await connection.close()
  await until('no flaw', () => flaws.length === 0)
  t.equal(await client.tail(), 0)
})

t.test(
  'a record that no server has is missing, and reading tells which servers were asked',
  { skip: noNats },
  async t => {
    const cluster = await natsCluster(t)
    const log = await newLog(cluster)
    const client = await filled(t, log)
    await cluster.deleteRecord(log.name, 700)
    const got = await client.read(0, 699)
    t.equal(got.at(-1)?.sequence, 699)
    const error = await client.read(699, 10).catch(each => each)
    t.ok(error instanceof MissingRecord)
    t.match(error, { sequence: 700, message: /nats-0/ })
    t.match(error, { message: /nats-1/ })
    t.match(error, { message: /nats-2/ })
  },
)
