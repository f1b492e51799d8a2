// Takes more and more memory: in the heap, out of it, or in another process, perhaps of a group of its own.

import { spawn } from 'node:child_process'
import { Base, never } from './base.mjs'

const take = `const all = []; setInterval(() => all.push(Buffer.alloc(8 << 20, 1)), 10)`

export default class Memory extends Base {
  step(_tool, { where }) {
    const all = []
    if (where === 'in the heap') for (;;) all.push(new Array(10_000).fill(all.length))
    if (where === 'out of the heap') setInterval(() => all.push(Buffer.alloc(8 << 20, 1)), 10)
    if (where === 'in another process') spawn(process.execPath, ['-e', take], { stdio: 'ignore' })
    const group = script =>
      spawn('bash', ['-c', script, process.execPath, take], { stdio: 'ignore', detached: true })
    if (where === 'in another group') group('"$0" -e "$1" & wait')
    if (where === 'in an orphan of another group') group('("$0" -e "$1" &); sleep 100')
    return never()
  }
}
