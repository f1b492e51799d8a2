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
}
const standIns = {
  name: 'stand-ins',
  setup: bundle => {
    bundle.onResolve({ filter: /^typebox$/ }, () => ({ path: standIn('typebox.ts') }))
    bundle.onResolve({ filter: /\/(hash|ed25519)\.ts$/ }, ({ path: name, resolveDir }) => {
      const file = path.relative(path.dirname(here), path.resolve(resolveDir, name)).replaceAll(path.sep, '/')
      return file in replaced ? { path: standIn(replaced[file]) } : undefined
    })
  },
}

/** Resolves to the files as pairs of a name and the contents. */
export const bundleConsole = async () => {
  const { outputFiles, metafile } = await build({
    absWorkingDir: here,
    entryPoints: ['main.tsx'],
    outdir: 'assets',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome123', 'firefox120', 'safari17.5'], // the first with light-dark() in styles
    jsx: 'automatic',
    jsxImportSource: 'preact',
    metafile: true,
    write: false,
    logLevel: 'warning',
    plugins: [standIns],
  })
  const icon = readFileSync(path.join(here, 'icon.svg'))
  const iconName = `icon-${createHash('sha256').update(icon).digest('hex').slice(0, 8)}.svg`
  const outputs = Object.entries(metafile.outputs)
  const [script, entry] = outputs.find(([, { entryPoint }]) => entryPoint === 'main.tsx')
  const names = { script: path.basename(script), style: path.basename(entry.cssBundle), icon: iconName }
  const page = readFileSync(path.join(here, 'index.html'), 'utf8').replace(
    /%(\w+)%/g,
    (_, name) => names[name],
  )
  return [
    ['index.html', Buffer.from(page)],
    [`assets/${iconName}`, icon],
    ...outputFiles.map(({ path: file, contents }) => [
      `assets/${path.basename(file)}`,
      Buffer.from(contents),
    ]),
  ]
}
