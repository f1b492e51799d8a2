// What Ctrl-C does while a task runs. At a terminal, the first Ctrl-C asks whether to cancel the task, and a second one
// cancels it. Without a terminal, the first Ctrl-C cancels at once.
import { createInterface } from 'node:readline'

const question = 'cancel the task? [y/N, Ctrl-C again: yes] '

/** Resolves with true after y or a second Ctrl-C, and with false after any other answer or when `closed` aborts. */
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
    terminal.once('SIGINT', again) // Ctrl-C at the keyboard, which the terminal interface reports
    process.once('SIGINT', again) // a signal from another process
    terminal.once('close', () => answered(false))
    terminal.question(question, answer => answered(/^y(es)?$/i.test(answer.trim())))
  })

/**
 * Listens for Ctrl-C. `cancel` is called once, after a yes or, without a terminal, at once. A later Ctrl-C ends the
 * process. `asking` returns a promise: wait for it before each output, so that nothing is written into a question.
 */
export const onInterrupt = (cancel: () => Promise<void>, beforeAsking: () => void) => {
  const atTerminal = process.stdin.isTTY && process.stderr.isTTY
  let asking: Promise<void> = Promise.resolve()
  const closed = new AbortController()
  let meant = false

  const interrupted = async () => {
    if (meant) process.exit(130)
    if (atTerminal) {
      process.off('SIGINT', heard) // the question handles the next Ctrl-C
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
