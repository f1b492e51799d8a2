// Bundles all test files, with the sources that they use, once. Without a bundle, a loader would load each source again
// for each test file, which takes longer than most tests.
import { readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { banner, external } from '../../bundled.mjs'

/** Replaces what a module says about its own path, since the path of the bundle is another one. */
const ownPlace = {
  name: 'own-place',
  setup: bundle =>
    bundle.onLoad({ filter: /\.(ts|m?js)$/ }, async ({ path: file }) => {
      const text = await readFile(file, 'utf8')
      if (!text.includes('import.meta')) return undefined
      const own = [path.dirname(file), pathToFileURL(file).href].map(place => JSON.stringify(place))
      return { contents: `const ownFolder = ${own[0]}, ownUrl = ${own[1]}; ${text}`, loader: 'default' }
    }),
}

const groupPrefix = 'group:'
const tapOfFile = fileURLToPath(new URL('within.mjs', import.meta.url))
const textOf = (root, files) => {
  const place = file => JSON.stringify(path.join(root, file))
  const runs = files.map(file => `await within(${JSON.stringify(file)}, () => import(${place(file)}))`)
  return [`import { within } from ${JSON.stringify(tapOfFile)}`, ...runs].join('\n')
}

/** Makes the entries of groups, and gives every test file the `t` of its own place in a group. */
const grouped = (root, groups) => ({
  name: 'grouped',
  setup(bundle) {
    bundle.onResolve({ filter: /^tap$/ }, ({ importer }) =>
      importer === tapOfFile ? undefined : { path: tapOfFile },
    )
    bundle.onResolve({ filter: /^group:/ }, ({ path: entry }) => ({ path: entry, namespace: 'group' }))
    bundle.onLoad({ filter: /^group:/, namespace: 'group' }, ({ path: entry }) => ({
      contents: textOf(root, groups[Number(entry.slice(groupPrefix.length))]),
      resolveDir: root,
    }))
  },
})

/** Packages for tests alone, except tap, which every test file loads. */
const { devDependencies } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
const ofTests = Object.keys(devDependencies)
  .filter(name => name !== 'tap')
  .flatMap(name => [name, `${name}/*`])

/** The name of a group in the results of a run. */
const nameOf = (files, n) =>
  files.length === 1 ? files[0].replace(/\.ts$/, '') : `${path.dirname(files[0])}/group-${n}`

/**
 * Bundles the files of each group (paths from `root`) into `folder`. Resolves to the files to run, one for each group,
 * with the number of test files in it.
 */
export const bundleTests = async (root, groups, folder) => {
  await rm(folder, { recursive: true, force: true })
  const entries = groups.map((files, n) => ({
    in: files.length === 1 ? path.join(root, files[0]) : `${groupPrefix}${n}`,
    out: nameOf(files, n),
  }))
  await build({
    absWorkingDir: root,
    entryPoints: entries,
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    chunkNames: 'shared/[hash]',
    bundle: true,
    minifyWhitespace: true,
    lineLimit: 160, // Node shows the line of an error that nobody catches
    splitting: true,
    external: [...external, ...ofTests],
    banner,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
    define: { 'import.meta.dirname': 'ownFolder', 'import.meta.url': 'ownUrl' },
    plugins: [ownPlace, grouped(root, groups)],
  })
  return entries.map(({ out }, n) => ({ file: path.join(folder, `${out}.mjs`), tests: groups[n].length }))
}
