// 10,000 random mutations of a log and its checkpoints: none is missed, and none is blamed on another event. A tenth as
// many of the file of tiles: what the tree says stays right. SEED=n repeats a run; a number is how many mutations.
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { givenSigned, wrongVerdicts } from '../proof/verify/judged.ts'
import { randomOf } from '../proof/verify/mutations.ts'
import { givenTiles, wrongTrees } from '../proof/verify/tile-mutations.ts'

const count = Number(process.argv[2] ?? 10_000)
const root = mkdtempSync(path.join(os.tmpdir(), 'soak-mutations-'))
const ofTiles = Math.ceil(count / 10)
const seed = Number(process.env.SEED ?? 1)
let wrong = 0
const complain = (fault: string): void => {
  console.log(fault)
  wrong++
}
const began = performance.now()
const tell = (judged: number): void => {
  if (judged % 500 > 0) return
  const seconds = Math.round((performance.now() - began) / 1000)
  console.log(`${judged} of ${count} mutations after ${seconds} s, ${wrong} wrong verdicts`)
}
try {
  const [data, tiles] = [path.join(root, 'data'), path.join(root, 'tiles')]
  await givenSigned(data)
  for await (const fault of wrongVerdicts(data, count, randomOf(seed), tell)) complain(fault)
  await givenTiles(tiles)
  for await (const fault of wrongTrees(tiles, ofTiles, randomOf(seed))) complain(fault)
} finally {
  rmSync(root, { recursive: true, force: true })
}
console.log(`${count} mutations, and ${ofTiles} of the tiles: ${wrong} wrong verdicts`)
process.exitCode = wrong > 0 ? 1 : 0
