// Ends, in one of the ways in which a process may.
import { Base } from './base.mjs'

export default class Ends extends Base {
  step(_tool, { how }) {
    if (how === 'by a signal') process.kill(process.pid, 'SIGKILL')
    if (how === 'with a word') console.error('out of luck, and the key is s3cret\n')
    if (how === 'by SIGSEGV') process.kill(process.pid, 'SIGSEGV')
    process.exit(3)
  }
}
