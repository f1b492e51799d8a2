// 10,000 random mutations of a log and its checkpoints: none is missed, and none is blamed on another event.
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { givenSigned, wrongVerdicts } from '../proof/verify/judged.ts'
import { randomOf } from '../proof/verify/mutations.ts'

const count = Number(process.argv[2] ?? 10_000)
const root = mkdtempSync(path.join(os.tmpdir(), 'soak-mutations-'))
let wrong = 0
try {
  await givenSigned(path.join(root, 'data'))
  for await (const fault of wrongVerdicts(
    path.join(root, 'data'),
    count,
    randomOf(Number(process.env.SEED ?? 1)),
  )) {
    console.log(fault)
    wrong++
  }
} finally {
  rmSync(root, { recursive: true, force: true })
}
console.log(`${count} mutations, ${wrong} wrong verdicts`)
process.exitCode = wrong > 0 ? 1 : 0
