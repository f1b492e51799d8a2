// Bundles all test files, with the sources that they use, once. Without a bundle, a loader would load each source again
// for each test file, which takes longer than most tests.
import { readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
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

/** Packages for tests alone, except tap, which every test file loads. */
const { devDependencies } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
const ofTests = Object.keys(devDependencies)
  .filter(name => name !== 'tap')
  .flatMap(name => [name, `${name}/*`])

/** Bundles `files` (paths from `root`) into `folder`. Resolves to the files to run in their place. */
export const bundleTests = async (root, files, folder) => {
  await rm(folder, { recursive: true, force: true })
  await build({
    absWorkingDir: root,
    entryPoints: files,
    outbase: root,
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
    plugins: [ownPlace],
  })
  return files.map(file => path.join(folder, file.replace(/\.ts$/, '.mjs')))
}
