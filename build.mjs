// Bundles the command, its threads and its processes into a folder of dist/. The file dist/current names this folder. A
// bundle starts in a third of the time that the sources need, since Node reads a few files in place of a thousand.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { build as bundle } from 'esbuild'
import { bundleConsole } from './console/bundle.mjs'

const root = import.meta.dirname
const dist = path.join(root, 'dist')
/** Milliseconds after which a build is removed that no command has marked as used (`markBuild` in src/platform/built.ts). */
const unusedAfter = 86_400_000
/**
 * Packages outside of the bundle: compiled code, WebAssembly, and the loader for TypeScript of users. They are the
 * dependencies of the package; everything else is in the bundle.
 */
const { dependencies, optionalDependencies } = JSON.parse(
  readFileSync(path.join(root, 'package.json'), 'utf8'),
)
const external = Object.keys({ ...dependencies, ...optionalDependencies })
const options = {
  absWorkingDir: root,
  outdir: 'dist/build', // the folder gets its final name when its content is known
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node22',
  minifyWhitespace: true,
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
  metafile: true,
  write: false,
}
const ofServer = {
  ...options,
  external,
  // Libraries in the format of CommonJS call `require`.
  banner: {
    js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
  },
}
/** Entry points by the paths that they get, without their endings. Only the last part of a source's path counts. */
const named = files => {
  const entries = new Map(files.map(file => [path.basename(file, '.ts'), file]))
  if (entries.size < files.length) throw new Error(`two of these files have one name: ${files.join(', ')}`)
  return Object.fromEntries(entries)
}
/** A built-in environment kind has a folder, and its class is there in a file of the same name. */
const kinds = globSync('src/environments/kinds/*/*.ts', { cwd: root })
  .filter(file => path.basename(file, '.ts') === path.basename(path.dirname(file)))
  .map(file => [`environments/${path.basename(file, '.ts')}`, file])
const hostsOfAgents = globSync('src/agent-hosts/host/*-process.ts', { cwd: root })
/** The agents of a test and what runs them have one copy of `reprise/agent`: an error has one class. */
const agentPackage = {
  name: 'agent-package',
  setup(build) {
    build.onResolve({ filter: /^\.\.\/agent\/index\.ts$/ }, () => ({ path: 'reprise/agent', external: true }))
  },
}
const [command, others, verifier, agents, library, client, environment] = await Promise.all([
  // It is split, so that a command loads only the files that it needs.
  bundle({
    ...ofServer,
    entryPoints: { main: 'src/cli/main.ts', testing: 'library/testing/index.ts' },
    plugins: [agentPackage],
    splitting: true,
    chunkNames: 'piece-[hash]',
  }),
  // Each file that runs as a thread or as a process of its own says so by its name.
  bundle({
    ...ofServer,
    entryPoints: {
      ...named(
        globSync('src/**/*-{thread,process}.ts', { cwd: root }).filter(file => !hostsOfAgents.includes(file)),
      ),
      ...Object.fromEntries(kinds),
      environment: 'library/environment/index.ts', // for modules with environments, wherever they are
    },
  }),
  // The verifier that each export contains runs alone, so it is a single file without a source map.
  bundle({
    ...options,
    minifyWhitespace: false,
    sourcemap: false,
    packages: 'external',
    entryPoints: { 'verify-export': 'src/proof/export/verify-main.ts' },
  }),
  // What the files of agents import shares its parts with the process that runs them: an error has one class.
  bundle({
    ...ofServer,
    entryPoints: {
      ...named(hostsOfAgents),
      agent: 'library/agent/index.ts',
      xstate: 'library/agent/xstate.ts',
    },
    splitting: true,
    chunkNames: 'agent-piece-[hash]',
  }),
  // The package `reprise/agent`, for workers. It needs no other package.
  bundle({
    ...ofServer,
    minifyWhitespace: false, // Node shows the line of an error that nothing catches
    sourcemap: false,
    entryPoints: { index: 'library/agent/index.ts' },
  }),
  // The package `reprise/client`: it runs wherever there is `fetch`.
  bundle({
    ...options,
    platform: 'neutral',
    minifySyntax: true,
    sourcemap: false,
    entryPoints: { index: 'library/client/index.ts' },
  }),
  // The package `reprise/environment`.
  bundle({
    ...options,
    minifyWhitespace: false,
    sourcemap: false,
    entryPoints: { index: 'library/environment/index.ts' },
  }),
])

/** The types of a package of library/, as files with their contents. `names`: without them, all files. */
const typesOf = (library, names) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'reprise-types-'))
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc')
  const args = [tsc, '-p', `library/${library}`, '--outDir', folder]
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`the types of library/${library} cannot be made: ${stdout}`)
  const made = path.join(folder, 'library', library)
  const files = (names ?? readdirSync(made).map(file => file.slice(0, -'.d.ts'.length))).map(name => [
    `${name}.d.ts`,
    readFileSync(path.join(made, `${name}.d.ts`)),
  ])
  rmSync(folder, { recursive: true })
  return files
}

const page = await bundleConsole()
/** The licences of the packages that are in the bundles: these must go with every copy. */
const licences = () => {
  const inputs = [command, others, verifier, agents, library, client, environment].flatMap(({ metafile }) =>
    Object.keys(metafile.inputs),
  )
  const packages = new Set(
    [...inputs, ...page.inputs].flatMap(file => file.match(/.*node_modules\/(?:@[^/]+\/)?[^/]+/) ?? []),
  )
  const texts = [...packages].sort().map(folder => {
    const file = readdirSync(path.join(root, folder)).find(name => /^licen[cs]e/i.test(name))
    const { name, version, license } = JSON.parse(
      readFileSync(path.join(root, folder, 'package.json'), 'utf8'),
    )
    const text = file === undefined ? license : readFileSync(path.join(root, folder, file), 'utf8').trim()
    return `${name} ${version}\n\n${text}\n`
  })
  return texts.join(`\n${'-'.repeat(80)}\n\n`)
}

/** Files that are copied as they are, so that all files of a build are in one folder. */
const copied = [
  ...readdirSync(path.join(root, 'src/http/docs-page')).map(name => [
    `docs-page/${name}`,
    `src/http/docs-page/${name}`,
  ]),
  ...['reprise_agent.py', 'reprise_worker.py', 'reprise_env.py', 'gymnasium_kinds.py'].map(name => [
    `python/${name}`,
    `python/${name}`,
  ]),
]
const files = [
  ...[command, others, verifier, agents]
    .flatMap(({ outputFiles }) => outputFiles)
    .map(file => [path.relative(path.join(root, options.outdir), file.path), Buffer.from(file.contents)]),
  ...page.files.map(([name, contents]) => [`console/${name}`, contents]),
  ['licences.txt', Buffer.from(licences())],
  ...copied.map(([name, source]) => [name, readFileSync(path.join(root, source))]),
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
const now = Date.now()
for (const [name, contents] of files) write(path.join(dist, build, name), contents)
utimesSync(path.join(dist, build), now / 1000, now / 1000)
// The exports of package.json name these files, so their folder has the same name in each build.
const libraries = [
  ['agent', library.outputFiles, ['index', 'types', 'definition', 'errors', 'worker']],
  ['client', client.outputFiles],
  ['environment', environment.outputFiles],
  // What runs the server of a test is a piece of the build, which its entry names. Its other files would take long to compile.
  ['testing', [], ['types']],
]
for (const [name, outputFiles, types] of libraries) {
  for (const { contents, path: file } of outputFiles)
    write(path.join(dist, name, path.basename(file)), Buffer.from(contents))
  for (const [file, contents] of typesOf(name, types)) write(path.join(dist, name, file), contents)
}
for (const ending of ['mjs', 'd.ts'])
  write(
    path.join(dist, `testing/index.${ending}`),
    readFileSync(path.join(root, `library/testing/entry.${ending}`)),
  )
write(path.join(dist, 'current'), Buffer.from(`${build}\n`))
const kept = ['agent', 'client', 'environment', 'testing', 'current', build].map(name => `!/${name}\n`) // a package holds one build
write(path.join(dist, '.npmignore'), Buffer.from(`/*\n${kept.join('')}`))
for (const name of readdirSync(dist).filter(name => /^[0-9a-f]{12}$/.test(name))) {
  const folder = path.join(dist, name)
  if (now - statSync(folder).mtimeMs > unusedAfter) rmSync(folder, { recursive: true })
}
