// Bundles the command and the threads into a folder of dist/. The file dist/current names this folder. A bundle starts
// in a third of the time that the sources need with a loader, and runs faster: a loader gives every function a name.
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
import { banner, external } from './bundled.mjs'
import { bundleConsole } from './console/bundle.mjs'

const root = import.meta.dirname
const kinds = 'src/environments/kinds'
/** The built-in environment kinds. Each kind has a folder, and its class is there in a file of the same name. */
const environmentKinds = () =>
  Object.fromEntries(
    readdirSync(path.join(root, kinds))
      .filter(name => existsSync(path.join(root, kinds, name, `${name}.ts`)))
      .map(name => [`environments/${name}`, `${kinds}/${name}/${name}.ts`]),
  )
// src/platform/sqlite/library.ts explains which version of the package is used.
const Database = createRequire(import.meta.url)(
  Number(process.versions.napi) >= 10 ? 'better-sqlite3-13' : 'better-sqlite3',
)
const options = {
  absWorkingDir: root,
  outdir: 'dist/build', // the folder gets its final name when its content is known
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
const ofServer = {
  ...options,
  packages: 'bundle',
  external,
  banner,
  minifyWhitespace: true,
  sourcesContent: false,
}
// The bundle is split, so that a command loads only the files that it needs. All files are in one folder, where
// src/platform/built.ts finds them.
const command = await bundle({
  ...ofServer,
  entryPoints: { main: 'src/cli/main.ts' },
  splitting: true,
  chunkNames: 'piece-[hash]',
})
const others = await bundle({
  ...ofServer,
  entryPoints: {
    'writer-thread': 'src/log/writer-thread.ts',
    'tree-thread': 'src/proof/store/tree-thread.ts',
    'export-thread': 'src/maintenance/export-thread.ts',
    'verify-thread': 'src/maintenance/verify-thread.ts',
    'long-thread': 'src/log/long-thread.ts',
    'lease-thread': 'src/cluster/lease-thread.ts',
    'checkpoint-thread': 'src/platform/sqlite/checkpoint-thread.ts',
    'rewrite-thread': 'src/platform/sqlite/rewrite-thread.ts',
    'schema-thread': 'src/json-schema/schema-thread.ts',
    'body-thread': 'src/http/body/body-thread.ts',
    'search-thread': 'src/tools/search-thread.ts',
    'walk-thread': 'src/fairness/disk/walk-thread.ts',
    'javascript-thread': 'src/tools/javascript-thread.ts',
    'look-thread': 'src/environments/look-thread.ts',
    'workshop-process': 'src/tools/workshop-process.ts',
    'nursery-process': 'src/platform/children/nursery-process.ts',
    'environment-host': 'src/environments/host/main.ts',
    ...environmentKinds(),
  },
})

// The verifier that each export contains. It runs alone, so it is a single file without a source map.
const verifier = await bundle({
  ...options,
  sourcemap: false,
  entryPoints: { 'verify-export': 'src/proof/export/verify-main.ts' },
})

const consoleFiles = (await bundleConsole()).map(([name, contents]) => [`console/${name}`, contents])

// The page at /docs and the host for Python are not bundled. They are copied, so that all files of a build are in one
// folder.
const copied = [
  ...readdirSync(path.join(root, 'src/http/docs-page')).map(name => [
    `docs-page/${name}`,
    `src/http/docs-page/${name}`,
  ]),
  ['python/reprise_env.py', 'python/reprise_env.py'],
]
const dist = path.join(root, 'dist')
const files = [
  ...[...command.outputFiles, ...others.outputFiles, ...verifier.outputFiles].map(file => [
    path.relative(path.join(root, options.outdir), file.path),
    Buffer.from(file.contents),
  ]),
  ...consoleFiles,
  ...copied.map(([name, source]) => [name, readFileSync(path.join(root, source))]),
  ['in-use.db', Buffer.alloc(0)], // running servers hold a lock on it
]

// Each build has a folder of its own. The name of the folder is a digest of its content, and its files never change. So
// a running server continues with the files of its build while newer builds exist beside it.
const digest = createHash('sha256')
for (const [name, contents] of files) digest.update(`${name}\0${contents.length}\0`).update(contents)
const build = digest.digest('hex').slice(0, 12)

/** Writes a file with one rename, unless it has this content already. */
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

/** Whether a server runs from the files in this folder. */
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
/** Whether a folder is less than a minute old: another process may still write the folder, or start from it. */
const isYoung = folder => Date.now() - statSync(folder).mtimeMs < 60_000

for (const name of readdirSync(dist)) {
  const folder = path.join(dist, name)
  if (name === build || name === before || name.startsWith('current')) continue
  if (!isYoung(folder) && !isHeld(folder)) rmSync(folder, { recursive: true })
}
