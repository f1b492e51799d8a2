// Whoever changes anything in a log is found out.
import path from 'node:path'
import t from 'tap'
import { givenSigned, wrongVerdicts } from './judged.ts'
import { randomOf } from './mutations.ts'
import { givenTiles, wrongTrees } from './tile-mutations.ts'

t.test('no mutation of a log is missed, and none is blamed on another event', async t => {
  const dataDir = path.join(t.testdir(), 'data')
  await givenSigned(dataDir)
  const wrong: string[] = []
  for await (const fault of wrongVerdicts(dataDir, 130, randomOf(1))) wrong.push(fault)
  t.same(wrong, [])
})

t.test('no mutation of the tiles changes what the tree says, and the file is made again', async t => {
  const dataDir = path.join(t.testdir(), 'tiles')
  await givenTiles(dataDir)
  const wrong: string[] = []
  for await (const fault of wrongTrees(dataDir, 50, randomOf(1))) wrong.push(fault)
  t.same(wrong, [])
})
