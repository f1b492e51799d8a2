// A server reads the libraries that few servers need when it needs them: in the bundle, they are in files that the start
// does not read.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'
import t from 'tap'

const root = path.resolve(import.meta.dirname, '../..')
const later = ['@modelcontextprotocol', '@nats-io', '@opentelemetry', 'prom-client', 'undici']

t.test('the start of a server reads none of the libraries that few servers need', async t => {
  const { dependencies, optionalDependencies } = JSON.parse(
    readFileSync(path.join(root, 'package.json'), 'utf8'),
  )
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/cli/main.ts'],
    outdir: 'nowhere',
    bundle: true,
    splitting: true,
    external: Object.keys({ ...dependencies, ...optionalDependencies }),
    platform: 'node',
    format: 'esm',
    write: false,
    metafile: true,
  })
  /** The files that are read with a file: its own imports, and theirs, but none that are made when they are needed. */
  const read = (name: string, seen = new Set<string>()): Set<string> => {
    if (seen.has(name)) return seen
    seen.add(name)
    for (const { path: other, kind, external } of metafile.outputs[name]?.imports ?? [])
      if (kind === 'import-statement' && !external) read(other, seen)
    return seen
  }
  const packagesOf = (files: Iterable<string>) =>
    [...files].flatMap(file =>
      Object.keys(metafile.outputs[file]?.inputs ?? {}).flatMap(
        input => input.match(/node_modules\/([^/]+)/)?.[1] ?? [],
      ),
    )
  const main = Object.keys(metafile.outputs).find(name => name.endsWith('main.js')) ?? ''
  // The commands of the terminal are imported when they are called, so the whole server is what `serve` imports.
  const serve =
    Object.entries(metafile.outputs).find(([, { inputs }]) => 'src/start/server.ts' in inputs)?.[0] ?? ''
  const atStart = new Set(packagesOf([...read(main), ...read(serve)]))
  t.ok(atStart.has('fastify'), 'it reads what each server needs')
  t.same(
    later.filter(name => atStart.has(name)),
    [],
  )
  const all = new Set(packagesOf(Object.keys(metafile.outputs)))
  t.same(
    later.filter(name => !all.has(name)),
    [],
    'they are in the bundle',
  )
})
