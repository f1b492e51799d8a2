// The public kit of A2A (a2aproject/a2a-tck, branch 1.0-dev) against a server, over JSON-RPC and HTTP+JSON. `A2A_TCK` names a
// checkout of it; without one, it is skipped. `expected.json` names the tests of the kit that fail here, each with its reason.
// Behind it: 5,000 hostile messages.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { pythonWith } from '../../support/python-packages.ts'
import { adminToken, serveHere } from '../../support/server.ts'
import { hostile } from './hostile.ts'
import { kitProxy } from './kit/proxy.ts'

t.setTimeout(900_000)

const folder = process.env.A2A_TCK ?? ''
const packages = [
  'pytest==9.2.0',
  'pytest-asyncio==1.5.0',
  'pytest-html==4.2.0',
  'httpx==0.28.1',
  'grpcio==1.85.3',
  'protobuf==7.36.2',
  'googleapis-common-protos==1.76.0',
  'jsonschema==4.26.0',
  'gherkin-official==42.0.1',
  'Jinja2==3.1.6',
]
const skip =
  folder === ''
    ? 'A2A_TCK names no checkout of a2aproject/a2a-tck, branch 1.0-dev'
    : existsSync(path.join(folder, 'tests/compatibility'))
      ? false
      : `${folder} is no checkout of a2aproject/a2a-tck, branch 1.0-dev`

type Result = { name: string; outcome: 'passed' | 'failed' | 'skipped'; why: string }
const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }
const plain = (text: string) =>
  text.replace(/&(?:#(\d+)|(\w+));/g, (_, code: string | undefined, name: string) =>
    code === undefined ? (entities[name] ?? '') : String.fromCodePoint(Number(code)),
  )
/** The tests in a report of pytest. */
const resultsIn = (report: string): Result[] =>
  [
    ...report.matchAll(/<testcase classname="([^"]*)" name="([^"]*)"[^>]*?(?:\/>|>([\s\S]*?)<\/testcase>)/g),
  ].map(([, file = '', name = '', said = '']) => {
    const [, kind, why = ''] = /<(failure|error|skipped)[^>]*? message="([^"]*)"/.exec(said) ?? []
    const outcome = kind === undefined ? 'passed' : kind === 'skipped' ? 'skipped' : 'failed'
    return { name: `${file.replace('tests.compatibility.', '')}.${plain(name)}`, outcome, why: plain(why) }
  })

t.test('the public kit', { skip }, async t => {
  const python = pythonWith(...packages)
  if (python === undefined) return void t.fail('the packages of the kit cannot be had')
  const proxy = await kitProxy(t, { agent: '/a2a/tck', token: adminToken })
  const { url } = await serveHere(t, {
    AGENT_PATH: path.join(import.meta.dirname, 'kit/agents'),
    ENV_UID_BASE: '0',
    ALLOW_PRIVATE_URLS: '1',
    PUBLIC_URL: proxy.url,
  })
  proxy.leadTo(url)
  const report = path.join(t.testdir(), 'report.xml')
  const asked = [`--sut-host=${proxy.url}`, '--transport=jsonrpc,http_json', `--junitxml=${report}`]
  const args = [
    '-m',
    'pytest',
    'tests/compatibility/',
    '-q',
    '--tb=short',
    '-p',
    'no:cacheprovider',
    ...asked,
  ]
  const child = spawn(python, args, {
    cwd: folder,
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
    stdio: 'ignore',
  })
  await new Promise(resolve => child.once('close', resolve))
  const results = resultsIn(readFileSync(report, 'utf8'))
  const expected = JSON.parse(
    readFileSync(path.join(import.meta.dirname, 'expected.json'), 'utf8'),
  ) as Record<string, string>
  const of = (wanted: Result['outcome']) => results.filter(({ outcome }) => outcome === wanted)
  t.comment(
    `commit ${commit()}: ${of('passed').length} passed, ${of('failed').length} failed, ${of('skipped').length} skipped`,
  )
  t.ok(of('passed').length > 100, 'the kit has run')
  for (const { name, why } of of('failed')) {
    if (expected[name] === undefined) t.fail(`${name}: ${why}`)
    else t.comment(`expected: ${name}: ${expected[name]}`)
  }
  const failed = new Set(of('failed').map(({ name }) => name))
  t.same(
    Object.keys(expected).filter(name => !failed.has(name)),
    [],
    'what is expected to fail fails',
  )
})

/** The commit of the checkout, if git knows it. */
function commit(): string {
  const { stdout } = spawnSync('git', ['-C', folder, 'rev-parse', '--short', 'HEAD'], { encoding: 'utf8' })
  return stdout?.trim() || 'unknown'
}

t.test('5,000 hostile messages', async t => hostile(t, await serveHere(t, { ALLOW_PRIVATE_URLS: '1' }), 5000))
