// A process of `npm test` that runs the test files that are sent to it, one after another. To load the server takes longer
// than most files take for their tests, so the files of one process share what they load. Each file gets the test of its
// own place as `t`, in place of tap's.
import asyncHooks from 'node:async_hooks'
import { readFileSync } from 'node:fs'
import { registerHooks, syncBuiltinESMExports } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Test } from 'tap'

/**
 * How many assertions of a file passed, failed and were left out, and what those that failed say. `cpu`: seconds of processor
 * time of this process and of the processes that it has started, where the system tells them.
 */
export type Outcome = {
  passed: number
  failed: number
  skipped: number
  failures: string
  cpu?: number | undefined
}

/** Linux tells four times in hundredths of a second: in user and kernel mode, of the process and of its ended children. */
const cpuSeconds = (): number => {
  try {
    const afterName = readFileSync('/proc/self/stat', 'utf8').split(') ')[1] ?? ''
    return afterName
      .split(' ')
      .slice(11, 15)
      .reduce((sum, ticks) => sum + Number(ticks) / 100, 0)
  } catch {
    return Number.NaN
  }
}

// tap follows each promise with async hooks, to know which test an error belongs to that nobody catches. The hooks take
// more processor time than most tests. Without them, such an error ends this process; then the file in it runs again alone.
const noHook = { enable: () => noHook, disable: () => noHook }
Object.assign(asyncHooks, { createHook: () => noHook })
syncBuiltinESMExports()

const { default: tap } = await import('tap')
let current: Test = tap

export { current as default }

registerHooks({
  resolve: (name, context, next) =>
    name === 'tap' ? { url: import.meta.url, shortCircuit: true } : next(name, context),
})
process.setMaxListeners(0) // each server that a file starts here adds some
tap.setTimeout(0) // all files together may take as long as they need

const run = async (file: string): Promise<Outcome> => {
  const begun = cpuSeconds()
  await tap.test(file, { timeout: Number(process.env.TAP_TIMEOUT) * 1000 }, async t => {
    current = t
    await import(pathToFileURL(path.resolve(file)).href)
  })
  const { counts, lists } = current
  return {
    passed: counts.pass,
    failed: counts.fail,
    skipped: counts.skip + counts.todo,
    cpu: cpuSeconds() - begun || undefined,
    failures: lists.fail
      .map(({ fullname, diag }) => `${fullname}\n${JSON.stringify(diag, null, 2)}`)
      .join('\n'),
  }
}

process.on('message', async file => process.send?.({ outcome: await run(String(file)) }))
process.on('disconnect', () => process.exit())
setInterval(() => {}, 2 ** 30) // keeps the process between two files, since tap lets go of the channel
process.send?.({ outcome: 'ready' })
