// The thread is found and started from a bundle as well, where it stands beside what starts it.
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { build } from 'esbuild'
import t from 'tap'

t.test('a bundle starts its own thread', async t => {
  const outdir = t.testdir({
    'script.mjs': `import { createSchemaChecker } from './main.mjs'
const { check } = createSchemaChecker({ deadlineMs: 60_000 })
console.log(JSON.stringify(await check({ type: 'string' }, 1)))`,
  })
  const from = path.resolve(import.meta.dirname, '../../src/json-schema')
  await build({
    entryPoints: {
      main: path.join(from, 'checker.ts'),
      'schema-thread': path.join(from, 'schema-thread.ts'),
    },
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
  })
  const { stdout, stderr } = spawnSync(process.execPath, [path.join(outdir, 'script.mjs')], {
    encoding: 'utf8',
  })
  t.same({ stdout, stderr }, { stdout: '{"ok":false,"problems":["the value must be string"]}\n', stderr: '' })
})
