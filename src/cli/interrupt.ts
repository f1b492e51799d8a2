// Ctrl-C while a task runs: at a terminal it asks first, elsewhere it cancels at once; the next one means it.
import { createInterface } from 'node:readline'

const question = 'cancel the task? [y/N, Ctrl-C again: yes] '

/** True: y or a second Ctrl-C; false: anything else, and when `closed` says that it is too late. */
const askPerson = (closed: AbortSignal): Promise<boolean> =>
  new Promise(resolve => {
    const terminal = createInterface({ input: process.stdin, output: process.stderr, signal: closed })
    const answered = (yes: boolean) => {
      process.off('SIGINT', again)
      resolve(yes)
      terminal.close()
    }
    const again = () => {
      process.stderr.write('\n')
      answered(true)
    }
    terminal.once('SIGINT', again) // typed
    process.once('SIGINT', again) // sent
    terminal.once('close', () => answered(false))
    terminal.question(question, answer => answered(/^y(es)?$/i.test(answer.trim())))
  })

/**
 * `cancel` is called once, when it is meant; after that Ctrl-C ends the process. `asking` resolves when no question
 * is open, so that nothing is written into one.
 */
export const onInterrupt = (cancel: () => Promise<void>, beforeAsking: () => void) => {
  const atTerminal = process.stdin.isTTY && process.stderr.isTTY
  let asking: Promise<void> = Promise.resolve()
  const closed = new AbortController()
  let meant = false

  const interrupted = async () => {
    if (meant) process.exit(130)
    if (atTerminal) {
      process.off('SIGINT', heard) // the question hears the next one
      beforeAsking()
      const yes = await askPerson(closed.signal)
      if (closed.signal.aborted) return
      process.on('SIGINT', heard)
      if (!yes) return
    }
    meant = true
    await cancel()
  }
  const heard = () => {
    asking = interrupted()
  }
  process.on('SIGINT', heard)
  return {
    asking: () => asking,
    stop() {
      process.off('SIGINT', heard)
      closed.abort()
    },
  }
}
