// Bundles the command and the threads into a folder of dist/, which dist/current names: starts in a third of the time, and
// without the names that a loader attaches to every function it meets, runs faster too.
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { build as bundle } from 'esbuild'

const root = import.meta.dirname
// Which line of it: src/platform/sqlite/library.ts.
const Database = createRequire(import.meta.url)(
  Number(process.versions.napi) >= 10 ? 'better-sqlite3-13' : 'better-sqlite3',
)
const options = {
  absWorkingDir: root,
  outdir: 'dist/build', // the folder gets its name once its contents are known
  outExtension: { '.js': '.mjs' },
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  logLevel: 'warning',
  write: false,
}
// In pieces, so that a command loads what it needs and no more. All of them lie in one folder, where src/platform/built.ts looks.
const command = await bundle({
  ...options,
  entryPoints: { main: 'src/cli/main.ts' },
  splitting: true,
  chunkNames: 'piece-[hash]',
})
const others = await bundle({
  ...options,
  entryPoints: {
    'writer-thread': 'src/log/writer-thread.ts',
    'checkpoint-thread': 'src/platform/sqlite/checkpoint-thread.ts',
    'schema-thread': 'src/json-schema/schema-thread.ts',
    'body-thread': 'src/http/body/body-thread.ts',
    'search-thread': 'src/tools/search-thread.ts',
    'walk-thread': 'src/fairness/disk/walk-thread.ts',
    'javascript-thread': 'src/tools/javascript-thread.ts',
    'nursery-process': 'src/platform/children/nursery-process.ts',
    'environment-host': 'src/environments/host/main.ts',
    'environments/chess': 'src/environments/kinds/chess/chess.ts',
    'environments/gridworld': 'src/environments/kinds/gridworld/gridworld.ts',
    'environments/sql': 'src/environments/kinds/sql/sql.ts',
    'environments/workspace': 'src/environments/kinds/workspace/workspace.ts',
  },
})

// What is not bundled is copied, so that all files of a build lie together: the page at /docs, and the host for Python.
const copied = [
  ...readdirSync(path.join(root, 'src/http/docs-page')).map(name => [
    `docs-page/${name}`,
    `src/http/docs-page/${name}`,
  ]),
  ['python/reprise_env.py', 'python/reprise_env.py'],
]
const dist = path.join(root, 'dist')
const files = [
  ...[...command.outputFiles, ...others.outputFiles].map(file => [
    path.relative(path.join(root, options.outdir), file.path),
    Buffer.from(file.contents),
  ]),
  ...copied.map(([name, source]) => [name, readFileSync(path.join(root, source))]),
  ['in-use.db', Buffer.alloc(0)], // running servers hold it
]

// A build has a folder of its own, named after what is in it, and its files never change: a running server goes on with
// the files of its build while newer builds lie beside them.
const digest = createHash('sha256')
for (const [name, contents] of files) digest.update(`${name}\0${contents.length}\0`).update(contents)
const build = digest.digest('hex').slice(0, 12)

/** A file that is as it should be is left alone, and one that is not is replaced at once. */
const write = (file, contents) => {
  if (existsSync(file) && readFileSync(file).equals(contents)) return
  mkdirSync(path.dirname(file), { recursive: true })
  const fresh = `${file}.${process.pid}`
  writeFileSync(fresh, contents)
  renameSync(fresh, file)
}
const current = path.join(dist, 'current')
const before = existsSync(current) ? readFileSync(current, 'utf8').trim() : ''
for (const [name, contents] of files) write(path.join(dist, build, name), contents)
write(current, Buffer.from(`${build}\n`))

/** Whether a server runs from these files. */
const isHeld = folder => {
  const file = path.join(folder, 'in-use.db')
  if (!existsSync(file)) return false
  const db = new Database(file, { timeout: 0 })
  try {
    db.exec('BEGIN EXCLUSIVE')
    return false
  } catch {
    return true
  } finally {
    db.close()
  }
}
/** Another process may be making it, or starting from it. */
const isYoung = folder => Date.now() - statSync(folder).mtimeMs < 60_000

for (const name of readdirSync(dist)) {
  const folder = path.join(dist, name)
  if (name === build || name === before || name.startsWith('current')) continue
  if (!isYoung(folder) && !isHeld(folder)) rmSync(folder, { recursive: true })
}
