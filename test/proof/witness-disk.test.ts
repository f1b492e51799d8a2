// The state of a witness on a disk that fails to sync folders.
import fs, { fstatSync, readdirSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import path from 'node:path'
import t from 'tap'
import { openWitnessState } from '../../src/proof/witness/state.ts'

const openFiles = (): number => readdirSync('/proc/self/fd').length
const skip = process.platform === 'linux' ? false : 'only Linux lists the open files of a process'

t.test(
  'a witness that cannot sync its folder refuses, and leaves no file open however often',
  { skip },
  async t => {
    const state = openWitnessState(path.join(t.testdir(), 'witness.json'))
    const { fsyncSync } = fs
    const failing = (file: number): void => {
      if (fstatSync(file).isDirectory()) throw new Error('EIO: i/o error, fsync')
      fsyncSync(file)
    }
    Object.assign(fs, { fsyncSync: failing })
    syncBuiltinESMExports()
    t.teardown(() => {
      Object.assign(fs, { fsyncSync })
      syncBuiltinESMExports()
    })
    const before = openFiles()
    for (let n = 1; n <= 10; n++)
      t.throws(() => state.put('log', { size: n, root: '', note: '' }), { message: /EIO/ })
    t.equal(state.of('log'), undefined)
    t.equal(openFiles(), before)
  },
)
