// A server that exports nothing loads nothing of OpenTelemetry: neither from the sources nor from what is bundled.
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { build } from 'esbuild'
import t from 'tap'

const root = path.resolve(import.meta.dirname, '../..')

/** What of OpenTelemetry a process has loaded after it ran this. */
const loadedBy = (code: string): string[] => {
  const script = `
    import { createRequire } from 'node:module'
    ${code}
    const loaded = Object.keys(createRequire(import.meta.url).cache)
    console.log(JSON.stringify(loaded.filter(file => file.includes('@opentelemetry'))))
  `
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
    encoding: 'utf8',
  })
  if (run.status !== 0) throw new Error(run.stderr)
  return JSON.parse(run.stdout)
}

t.test('nothing is loaded before something is to be exported', async t => {
  const imports = `
    import { telemetryOf } from './src/telemetry/settings.ts'
    import { startTelemetry } from './src/telemetry/follower.ts'
    import { createExporter } from './src/telemetry/exporter.ts'
  `
  t.same(loadedBy(`${imports} telemetryOf({})`), [])
  const settings = `telemetryOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' })`
  t.ok(loadedBy(`${imports} await createExporter(${settings})`).length > 0, 'and then it is')
})

t.test('the bundle imports it when it is called, not when it begins', async t => {
  const { metafile } = await build({
    entryPoints: ['src/telemetry/follower.ts'],
    absWorkingDir: root,
    outdir: 'nowhere',
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    write: false,
    metafile: true,
  })
  const imports = Object.values(metafile.outputs).flatMap(output => output.imports)
  const ours = imports.filter(({ path: name }) => name.startsWith('@opentelemetry/'))
  t.ok(ours.length > 0)
  t.same([...new Set(ours.map(({ kind }) => kind))], ['dynamic-import'])
})
