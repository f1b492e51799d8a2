// Starts others, in its process group and out of it, and ends with them, or without.

import { spawn } from 'node:child_process'
import { Base, never } from './base.mjs'

const idle = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)`

export default class Children extends Base {
  async step(_tool, { how }) {
    const start = options =>
      new Promise(resolve => {
        spawn(process.execPath, ['-e', idle], options).once('spawn', resolve)
      })
    await start({ stdio: 'ignore' })
    await start({ stdio: 'inherit' }) // holds our pipes
    await start({ stdio: 'inherit', detached: true }) // and is out of our group
    if (how === 'exits') process.exit(0)
    if (how === 'hangs') await never()
    return { content: 'started three' }
  }
}
