// Bundles the command and the threads into dist/: starts in a third of the time, and without the
// names that a loader attaches to every function it meets, runs faster too.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build as bundle } from 'esbuild'

const { outputFiles } = await bundle({
  entryPoints: {
    main: 'src/cli/main.ts',
    'writer-thread': 'src/log/writer-thread.ts',
    'schema-thread': 'src/json-schema/schema-thread.ts',
    'search-thread': 'src/tools/search-thread.ts',
    'javascript-thread': 'src/tools/javascript-thread.ts',
  },
  absWorkingDir: import.meta.dirname,
  outdir: 'dist',
  outExtension: { '.js': '.mjs' },
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  logLevel: 'warning',
  write: false,
})

// A file that is as it should be is left alone, and one that is not is replaced at once: a server may be starting.
for (const { path: file, contents } of outputFiles) {
  if (existsSync(file) && readFileSync(file).equals(contents)) continue
  mkdirSync(path.dirname(file), { recursive: true })
  const fresh = `${file}.${process.pid}`
  writeFileSync(fresh, contents)
  renameSync(fresh, file)
}
