// kill -9 and full disks while checkpoints and tiles are written: nothing that anybody was shown is untrue afterwards.
import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { verifyLog } from '../../src/maintenance/verify/verify-log.ts'
import { filesOf } from '../../src/platform/files/data-folder.ts'
import { openKeeper } from '../../src/proof/store/keeper.ts'
import { until } from '../support/http.ts'
import { serveHere, spawnServer } from '../support/server.ts'
import { fill, free, noMount, smallDisk } from '../support/small-disk.ts'
import { leavesIn } from './attackers/leaves-in.ts'
import { treeHash } from './trees.ts'
import { addEvents, logOf } from './verify/signed-folder.ts'

t.setTimeout(180_000)
const echo = { user_message_content: 'x', client_id: 'echo', stream: false }
const sizeOf = (note: string) => Number(note.split('\n')[1])

t.test('every checkpoint that was shown before a kill is true after it', async t => {
  const dataDir = t.testdir()
  const files = filesOf(dataDir)
  const shown = new Map<string, number>()
  // Each round ends so many milliseconds after a checkpoint was shown that is new.
  for (const ms of [0, 40, 300]) {
    const before = shown.size
    const server = await spawnServer(t, dataDir)
    let isOver = false
    const whileUp = async (work: () => Promise<void>) => {
      while (!isOver) await work().catch(() => {})
    }
    const works = [
      ...[1, 2, 3, 4].map(() =>
        whileUp(async () => void (await (await server.api('POST', '/tasks', echo)).text())),
      ),
      whileUp(async () => {
        const answer = await server.api('GET', '/audit/checkpoint')
        const note = await answer.text()
        if (answer.status === 200) shown.set(note, sizeOf(note))
      }),
      whileUp(async () => void (await (await server.api('GET', '/audit/export?all=true')).arrayBuffer())),
    ]
    await until(() => shown.size > before)
    await new Promise(resolve => setTimeout(resolve, ms))
    await server.end('SIGKILL')
    isOver = true
    await Promise.all(works)
  }
  t.ok(shown.size >= 3, `${shown.size} checkpoints were shown`)
  const kept = path.join(dataDir, 'kept')
  writeFileSync(kept, [...shown.keys()].join('\n'))
  const stored = readFileSync(files.checkpoints, 'utf8')
  for (const note of shown.keys()) t.ok(stored.includes(note), 'it was stored before it was shown')
  const given = { log: files.log, ownCheckpoints: files.checkpoints, key: undefined }
  const { checkpoints } = await verifyLog({ ...given, checkpoints: [kept] }, () => {})
  t.ok(checkpoints >= 2 * shown.size)

  const server = await spawnServer(t, dataDir)
  t.notOk(existsSync(files.exports), 'nothing is left of exports')
  const [from = 0, to = 0] = [Math.min(...shown.values()), Math.max(...shown.values())]
  t.equal((await server.api('GET', `/audit/consistency?from=${from}&to=${to}`)).status, 200)
  await server.end('SIGKILL')
})

t.test(
  'while checkpoints cannot be stored, the newest one that was stored is shown, and work goes on',
  async t => {
    const disk = smallDisk(t, 1)
    if (disk === undefined) return void t.pass(noMount, { skip: noMount })
    const file = path.join(disk, 'checkpoints')
    const server = await serveHere(t, { CHECKPOINT_FILE: file })
    const { api, lines } = server
    const shown = async () => (await api('GET', '/audit/checkpoint')).text()
    const work = async () => t.equal((await api('POST', '/tasks', echo)).status, 200)
    await work()
    await until(async () => sizeOf(await shown()) >= server.system.log.head())
    // Empty lines up to the end of a block, but for a few bytes: the next checkpoint is cut off.
    appendFileSync(file, '\n'.repeat(4096 - (statSync(file).size % 4096) - 30))
    fill(disk)
    const isFull = () => lines.some(({ message }) => message.startsWith('a checkpoint could not be made'))
    await work()
    await until(isFull)
    const last = await shown()
    await work()
    t.equal(await shown(), last)
    t.ok(readFileSync(file, 'utf8').includes(last), 'what is shown is stored')
    t.ok(sizeOf(last) < server.system.log.head())
    free(disk)
    await until(async () => sizeOf(await shown()) >= server.system.log.head())
    t.ok(readFileSync(file, 'utf8').includes(await shown()))
    const given = { log: logOf(server.dataDir), ownCheckpoints: file, checkpoints: [], key: undefined }
    t.match(await verifyLog(given, () => {}), { lost: 0 }, 'what the full disk cut off is no checkpoint')
  },
)

t.test('a full disk under the tiles costs time, and nothing that is proven', async t => {
  const disk = smallDisk(t, 1)
  if (disk === undefined) return void t.pass(noMount, { skip: noMount })
  const dataDir = t.testdir()
  mkdirSync(dataDir, { recursive: true })
  const [stream, type] = ['task-a', 'Noted']
  const add = (from: number, count: number) =>
    addEvents(
      dataDir,
      Array.from({ length: count }, (_, n) => ({ stream, revision: from + n, type, data: { n } })),
    )
  await add(0, 300)
  const files = { log: logOf(dataDir), tiles: path.join(disk, 'tiles') }
  writeFileSync(files.tiles, '')
  fill(disk)
  const keeper = openKeeper(files, 0)
  t.equal(keeper.grow(300).root, treeHash(leavesIn(dataDir)))
  t.equal(readFileSync(files.tiles).length % 32, 0)
  free(disk)
  await add(300, 220)
  t.equal(keeper.grow(520).root, treeHash(leavesIn(dataDir)))
  t.equal(readFileSync(files.tiles).length, 2 * 32, 'the hashes that had no room are there too')
  keeper.close()
  const again = openKeeper(files, 2)
  t.equal(again.grow(520).root, treeHash(leavesIn(dataDir)), 'and they are right')
  again.close()
})
