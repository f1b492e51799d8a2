// Runs each test file in a Node process of its own, several at a time, and prints their TAP. tap's own command would
// start each file with its hooks for coverage, whose thread handles every import: a third of the processor time of most
// files.
// Usage: node test/support/run-files.mjs '<JSON>', an object with these fields: `jobs`, the number of files at a time;
// `results`, the folder for the TAP of each file; `args`, arguments for Node; `env`, further variables; `files`, each
// with its path as `file` and the number of test files that it runs as `tests`.
import { createWriteStream, mkdirSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import tap from 'tap'

const { jobs, results, args, env, files } = JSON.parse(process.argv[2])
/** Seconds that a test file may take, unless it asks for more. */
const patience = 300
const plainPromises = pathToFileURL(path.join(import.meta.dirname, 'plain-promises.mjs'))

tap.jobs = jobs
tap.setTimeout(0) // all files together may take as long as they need
tap.on('spawn', file => {
  const target = path.join(results, `${file.name}.tap`)
  mkdirSync(path.dirname(target), { recursive: true })
  file.on('process', ({ stdout }) => stdout.pipe(createWriteStream(target)))
})
// tap gives the processes that it starts a variable with its hooks, and its own variables. `env` takes them away again.
const ofTap = ['COVERAGE', 'CWD', 'EXCLUDE', 'PARENT', 'ROOT', 'EXTERNAL_ID'].map(
  name => `_TAPJS_PROCESSINFO_${name}_`,
)
const removed = ['NODE_OPTIONS', ...ofTap].filter(name => !(name in env)).flatMap(name => ['-u', name])
for (const { file, tests } of files) {
  const timeout = patience * tests
  const options = [`--import=${plainPromises}`, ...args, file]
  tap.spawn('env', [...removed, process.execPath, ...options], {
    name: path.relative('', file),
    buffered: true,
    timeout: timeout * 1000,
    stdio: 'inherit',
    // tap would remove the folder of a test before the test's servers have stopped, and then leave them running.
    env: { ...process.env, TAP_TIMEOUT: `${timeout}`, TAP_SAVE_FIXTURE: '1', ...env },
    at: null,
    stack: '',
  })
}
