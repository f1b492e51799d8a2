// Bundles the console for browsers. The names of its files contain digests of their contents, so browsers may keep them.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'

const here = import.meta.dirname
const standIn = name => path.join(here, 'stand-ins', name)

/**
 * What the code of the server imports and a browser does not have, or does not need: schemas, since only the server checks
 * bodies, and the hashes and keys of Node.
 */
const replaced = {
  'src/proof/tree/hash.ts': 'hash.ts',
  'src/proof/note/ed25519.ts': 'ed25519.ts',
  'src/log/leaf.ts': 'leaf.ts',
}
const standIns = {
  name: 'stand-ins',
  setup: bundle => {
    bundle.onResolve({ filter: /^typebox$/ }, () => ({ path: standIn('typebox.ts') }))
    bundle.onResolve({ filter: /\/(hash|ed25519|leaf)\.ts$/ }, ({ path: name, resolveDir }) => {
      const file = path.relative(path.dirname(here), path.resolve(resolveDir, name)).replaceAll(path.sep, '/')
      return file in replaced ? { path: standIn(replaced[file]) } : undefined
    })
  },
}

/** The contract declares and does nothing when it is loaded, so files that the console does not use are left out. */
const contract = path.join(path.dirname(here), 'src/contract/')
const declarations = {
  name: 'declarations',
  setup: bundle =>
    bundle.onResolve({ filter: /^\..*\.ts$/ }, ({ path: name, resolveDir }) => {
      const file = path.resolve(resolveDir, name)
      return file.startsWith(contract) ? { path: file, sideEffects: false } : undefined
    }),
}

/**
 * What the page of an export has in another way than the console. Its code stays plain: the colours would make every export
 * a quarter larger.
 */
const ofExport = {
  name: 'of-export',
  setup: bundle => {
    for (const name of ['address.ts', 'highlight.ts'])
      bundle.onResolve({ filter: new RegExp(`/${name}$`) }, () => ({
        path: path.join(here, 'exported', name),
      }))
  },
}

const options = {
  absWorkingDir: here,
  outdir: 'assets',
  bundle: true,
  minify: true,
  platform: 'browser',
  target: ['chrome123', 'firefox120', 'safari17.5'], // the first with light-dark() in styles
  jsx: 'automatic',
  jsxImportSource: 'preact',
  write: false,
  logLevel: 'warning',
  metafile: true,
}

const filled = (page, values) =>
  readFileSync(path.join(here, page), 'utf8').replace(/%(\w+)%/g, (_, name) => values[name])

const bundleViews = async () => {
  const { outputFiles, metafile } = await build({
    ...options,
    entryPoints: ['main.tsx'],
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    splitting: true,
    format: 'esm',
    plugins: [standIns, declarations],
  })
  const icon = readFileSync(path.join(here, 'icon.svg'))
  const iconName = `icon-${createHash('sha256').update(icon).digest('hex').slice(0, 8)}.svg`
  const outputs = Object.entries(metafile.outputs)
  const [script, entry] = outputs.find(([, { entryPoint }]) => entryPoint === 'main.tsx')
  const names = { script: path.basename(script), style: path.basename(entry.cssBundle), icon: iconName }
  const files = [
    ['index.html', Buffer.from(filled('index.html', names))],
    [`assets/${iconName}`, icon],
    ...outputFiles.map(({ path: file, contents }) => [
      `assets/${path.basename(file)}`,
      Buffer.from(contents),
    ]),
  ]
  return { files, inputs: Object.keys(metafile.inputs) }
}

/** The page of an export before the export is put into it: one file, whose script and styles run by their hashes. */
const bundleExport = async () => {
  const { outputFiles, metafile } = await build({
    ...options,
    entryPoints: ['exported/main.tsx'],
    format: 'iife',
    plugins: [standIns, declarations, ofExport],
  })
  const textOf = ending => outputFiles.find(({ path: file }) => file.endsWith(ending)).text.trim()
  const hashOf = text => `sha256-${createHash('sha256').update(text).digest('base64')}`
  const [script, style] = [textOf('.js'), textOf('.css')]
  const page = filled('exported/export.html', { scriptHash: hashOf(script), styleHash: hashOf(style) })
    .replace('<!--style-->', () => `<style>${style}</style>`)
    .replace('<!--script-->', () => `<script>${script}</script>`)
  return { files: [['export.html', Buffer.from(page)]], inputs: Object.keys(metafile.inputs) }
}

/** Resolves to the files, as pairs of a name and the contents, and to the paths of all sources, from the root. */
export const bundleConsole = async () => {
  const parts = [await bundleViews(), await bundleExport()]
  return {
    files: parts.flatMap(({ files }) => files),
    inputs: parts.flatMap(({ inputs }) => inputs).map(file => path.join('console', file)),
  }
}
