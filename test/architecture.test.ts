import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import tap from 'tap'

const check = (folder: string) => {
  const { status, stdout } = spawnSync(process.execPath, ['test/support/imports.mjs', folder], {
    encoding: 'utf8',
  })
  return { status, stdout, rules: [...new Set(stdout.match(/^[\w-]+(?=: .* -> )/gm))].sort() }
}
const imports = (...modules: string[]) => modules.map(module => `import '${module}'\n`).join('')
const parts = (files: Record<string, Record<string, string>>) => ({
  'package.json':
    '{ "dependencies": { "fastify": "*", "xstate": "*", "better-sqlite3": "*", "ajv": "*", "preact": "*" } }',
  ...files,
})

tap.test('every import rule can fail', t => {
  const { forbidden } = JSON.parse(readFileSync('.dependency-cruiser.json', 'utf8')) as {
    forbidden: { name: string }[]
  }
  const folder = t.testdir({
    ...parts({ projections: { 'tasks.ts': imports('../actors/task.ts') } }),
    actors: { 'task.ts': imports('../src/config.ts') },
    bench: { 'run.ts': '' },
    console: { 'main.ts': imports('../src/log/log.ts', 'node:fs') },
    library: { agent: { 'index.ts': imports('../../src/config.ts') } },
    src: {
      agents: { 'scripted.ts': imports('../config.ts') },
      'agent-hosts': { 'roster.ts': imports('../config.ts') },
      bus: { 'feed.ts': imports('../config.ts') },
      cli: { 'try.ts': imports('../../library/agent/index.ts') },
      cluster: { 'replica.ts': imports('../config.ts'), nats: { 'link.ts': imports('../../config.ts') } },
      contract: { 'wire.ts': imports('node:fs') },
      environments: {
        'registry.ts': imports('../config.ts', './kinds/chess/chess.ts'),
        kinds: { chess: { 'chess.ts': imports('../sql/sql.ts') }, sql: { 'sql.ts': '' } },
      },
      history: { 'task-view.ts': imports('../log/log.ts') },
      http: { 'app.ts': imports('../log/log.ts') },
      'json-schema': { 'checker.ts': imports('../config.ts') },
      log: { 'log.ts': imports('../config.ts', './file/rows.ts'), file: { 'rows.ts': '' } },
      'model-requests': { 'request.ts': imports('../config.ts') },
      'fake-model': { 'server.ts': imports('../config.ts') },
      documents: { 'openapi.ts': imports('../config.ts') },
      mcp: { 'mcp.ts': imports('../config.ts') },
      metrics: { 'metrics.ts': imports('../config.ts') },
      egress: { 'fetch.ts': imports('../config.ts') },
      fairness: { 'quotas.ts': imports('../config.ts') },
      front: { 'front.ts': imports('../log/log.ts') },
      once: { 'once.ts': imports('../config.ts') },
      platform: { 'thread.ts': imports('../config.ts') },
      proof: { tree: { 'proofs.ts': imports('../../config.ts') } },
      shard: { 'shard.ts': imports('../front/front.ts') },
      start: { 'server.ts': '' },
      telemetry: { 'follower.ts': imports('../config.ts') },
      tools: { 'calculator.ts': imports('../config.ts') },
      tasks: { 'commands.ts': imports('../log/log.ts'), 'queries.ts': imports('../config.ts') },
      'config.ts': imports('./main.ts', './start/server.ts', '../bench/run.ts', 'tap', './nowhere.ts'),
      'main.ts': imports(
        './config.ts',
        'fastify',
        '@nats-io/jetstream',
        '@opentelemetry/api',
        '@modelcontextprotocol/client',
        'undici',
        'ws',
        'prom-client',
        'better-sqlite3',
        'xstate',
        'ajv',
        'preact',
        '../console/main.ts',
        '../library/agent/index.ts',
      ),
    },
  })
  const { status, rules } = check(folder)
  t.equal(status, 1)
  t.same(rules, forbidden.map(rule => rule.name).sort())
  t.end()
})

tap.test('allowed imports pass', t => {
  const folder = t.testdir({
    ...parts({ projections: { 'store.ts': imports('better-sqlite3', '../src/log/log.ts') } }),
    actors: { 'task.ts': imports('xstate', '../src/log/log.ts') },
    src: {
      http: { 'app.ts': imports('fastify', '../tasks/commands.ts') },
      log: {
        'chosen-storage.ts': imports('./file/rows.ts'),
        file: { 'rows.ts': imports('better-sqlite3') },
        'log.ts': imports('node:fs'),
      },
      tasks: { 'commands.ts': imports('../../actors/task.ts') },
      'main.ts': imports('./http/app.ts', './tasks/commands.ts', '../projections/store.ts'),
    },
  })
  t.match(check(folder), { status: 0, stdout: '8 modules, 0 forbidden imports' })
  t.end()
})

tap.test('a check that reads nothing fails', t => {
  t.match(check(t.testdir({})), { status: 1, stdout: '0 modules read' })
  t.end()
})

tap.test('no type is imported in a form that the checker does not see', t => {
  const hidden = globSync('{src,actors,projections,console}/**/*.{ts,tsx}').filter(file =>
    /\bimport\('[^']+'\)(\[|\.(?!then\b|catch\b|finally\b))/.test(readFileSync(file, 'utf8')),
  )
  t.same(hidden, [], 'write: import type')
  t.end()
})
