// Folders that are given to programs with user ids of their own, and what else lies there.
import { chmodSync, linkSync, lstatSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { closeAll, handOver, takeBack, takeOver } from '../../src/environments/handover.ts'
import { accountAmong, createUserIds } from '../../src/environments/user-ids.ts'
import { isRoot } from '../support/sandbox.ts'
import { folderOf } from './support.ts'

const skip = isRoot ? false : 'needs root, which alone can give files away'
const modeOf = (file: string) => (lstatSync(file).mode & 0o7777).toString(8)

t.test('a folder is given with all that is in it, and nothing that lies elsewhere', { skip }, async t => {
  const top = folderOf(t)
  const ids = createUserIds(70_000)
  const user = ids.next()
  const sessions = path.join(top, 'environments')
  const session = path.join(sessions, 'ann/s1')
  const [files, states] = [path.join(session, 'files'), path.join(session, 'states')]
  for (const folder of [path.join(files, 'in'), states]) mkdirSync(folder, { recursive: true, mode: 0o700 })
  const elsewhere = path.join(top, 'log.db')
  writeFileSync(elsewhere, '')
  writeFileSync(path.join(files, 'in/own'), '')
  symlinkSync(elsewhere, path.join(files, 'link'))
  linkSync(elsewhere, path.join(files, 'second-name'))
  closeAll({ dataDir: top, sessions, own: [path.join(top, 'workspace')] })
  t.equal(modeOf(elsewhere), '600')
  t.equal(modeOf(path.join(top, 'workspace')), '700')

  await handOver(files, top, user, ids)
  for (const given of ['', 'in', 'in/own', 'link']) {
    t.equal(lstatSync(path.join(files, given)).uid, user.uid, given)
  }
  t.equal(statSync(elsewhere).uid, 0, 'neither by a link nor by a second name')
  t.equal(statSync(states).uid, 0)
  t.equal(modeOf(files), '700')
  for (const way of ['', 'environments', 'environments/ann', 'environments/ann/s1']) {
    t.equal(modeOf(path.join(top, way)), '710', `${way} lets pass`)
    t.match(statSync(path.join(top, way)), { uid: 0, gid: ids.gid })
  }
  await takeBack(files)
  t.equal(modeOf(session), '700', 'and nobody passes when its program has gone')

  await takeOver(files)
  t.equal(lstatSync(path.join(files, 'in/own')).uid, 0, 'what comes back to the server is its own')
  await t.rejects(handOver(folderOf(t), top, user, ids), /is not below/)
})

t.test('a folder that an operator shares with a group keeps that group', { skip }, async t => {
  const top = folderOf(t)
  const ids = createUserIds(70_000)
  const files = path.join(top, 's1/files')
  mkdirSync(files, { recursive: true, mode: 0o700 })
  chmodSync(top, 0o750)
  await handOver(files, top, ids.next(), ids)
  t.equal(modeOf(top), '751')
  t.equal(statSync(top).gid, 0)
})

t.test('user ids come one after the other, and never one that an account has', t => {
  const { next, isOne, gid } = createUserIds(70_000)
  const some = Array.from({ length: 200 }, () => next().uid)
  t.equal(new Set(some).size, 200)
  t.ok(some.every(isOne))
  t.equal(next().gid, gid)
  t.equal(accountAmong(0), 'root')
  t.equal(accountAmong(70_000), undefined)
  t.end()
})
