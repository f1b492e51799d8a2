// Stands in for tap in test files that share a process: their `t` is the test of the file that runs now.
import tap from 'tap'

let current = tap

export { current as default }

/** Seconds that a file may take. */
const timeout = 300

/** Runs the tests of one file as subtests of a test with the file's name. `load` imports the file. */
export const within = (name, load) =>
  tap.test(name, { timeout: timeout * 1000 }, async t => {
    current = t
    await load()
  })
