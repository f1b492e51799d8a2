// Node.js prints its own warnings as plain text. In a log of JSON lines, each must be a line like the others.
import type { Report } from '../contract/ports.ts'

/** Whether an option of Node.js turns this warning off. */
const isDisabled = ({ name, code }: Error & { code?: string }): boolean =>
  [...process.execArgv, ...(process.env.NODE_OPTIONS ?? '').split(' ')].some(option =>
    [name, code].some(one => one !== undefined && option === `--disable-warning=${one}`),
  )

/** Reports the warnings of Node.js, in place of their plain text. With `--no-warnings`, nobody reports them. */
export const hearWarnings = (report: Report): void => {
  if (process.listenerCount('warning') === 0) return
  process.removeAllListeners('warning')
  process.on('warning', (warning: Error & { code?: string }) => {
    if (isDisabled(warning)) return
    const { name, code, message, stack } = warning
    report('warn', `Node.js warns: ${message}`, {
      warning: name,
      ...(code === undefined ? {} : { code }),
      stack,
    })
  })
}
