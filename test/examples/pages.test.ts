// Pages of the documents, as their reader copies them: every block works as it stands there, and prints what the page shows.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { noReader, readerOf, type Seen } from '../support/reader.ts'
import { serveHere } from '../support/server.ts'

const root = path.resolve(import.meta.dirname, '../..')
/** Each page, with what its blocks print one after the other, beside what the page itself shows. */
const pages: Record<string, RegExp[]> = {
  'README.md': [
    /^export PORT=/m,
    /The text has arithmetic[\s\S]*exit 0|14/,
    /event: task\.completed/,
    /^id: 6$[\s\S]*event: task\.completed/m,
    /^$/,
  ],
  'docs/tasks.md': [
    /^$/,
    /"status":"completed"/,
    /event: task\.completed[\s\S]*^id: 6$/m,
    /event: task\.paused/,
    /"status":"input-required"/,
    /"status":"working"/,
    /"approval":true/,
    /"status":"(working|completed)"/,
  ],
  'docs/questions.md': [
    /^$/,
    /The tool says “42”|42/,
    /./,
    /"role":"user"/,
    /^USER {5}TASKS {2}INPUT {2}OUTPUT {2}CACHED {2}REASONING {2}TOTAL\ndefault {2}1 +0 /m,
  ],
  'docs/models.md': [/^Requests /m, /^Model {6}fake-1 at /m, /The tool says “14”/],
  'docs/conversation/README.md': [
    /^Requests /m,
    /^Model {6}fake-1 at /m,
    /event: task\.completed[\s\S]*"task\.rollout"[\s\S]*"schema_version":"ATIF/,
  ],
  'docs/security.md': [/^ok: \d+ events/m],
  'docs/api.md': [/^rp_\S+\ntok_\S+ +user +alice/m],
  'docs/group-chats.md': [/"name":"cem"/],
  'docs/fork-and-diff.md': [
    /"Second\."[\s\S]*"forked_from":\{"task_id":"to-fork","at":7\}/,
    /First\.[\s\S]*Something else\.[\s\S]*task\.completed/,
    /"first_divergence"/,
  ],
  'docs/cron.md': [/^$/, /"next_run_at"/, /"data":\[\],"has_more":false/, /"paused"[\s\S]*"run_id"/],
  'docs/acp.md': [/"agentInfo":\{"name":"reprise"/],
  'docs/webhooks.md': [/^$/, /"secret":"whsec_/],
  'docs/a2a.md': [
    /^$/,
    /"supportedInterfaces"/,
    /"state":"TASK_STATE_COMPLETED"[\s\S]*"text":"Hello"/,
    /^data: \{"jsonrpc":"2\.0","id":1,"result":\{"task"/m,
  ],
  'docs/mcp-door.md': [/^$/, /"result":\{"content":\[\{"type":"text","text":"[^"]*42/],
}

/** Pages with commands that nobody copies here, and why. */
const notCopied: Record<string, string> = {
  'docs/first-agent.md': 'first-agent.test.ts',
  'docs/agents.md': 'agents-guide.test.ts',
  'docs/ag-ui.md':
    'test/doors/ag-ui/suite.ts runs its page in a browser, and answers.test.ts continues streams after an event',
  'docs/client.md': 'test/client/page.test.ts',
  'docs/using-environments.md': 'environments.test.ts',
  'docs/examples.md': 'follow-events.test.ts and test/browser; the programs of the page never end',
  'docs/subscribing.md': 'its command never ends',
  'docs/proof.md': 'its commands name events and files of the reader',
  'docs/erasure.md': 'its commands name what the reader erases',
  'docs/fake-model.md': 'test/cli/model-fake.test.ts',
  'docs/telemetry.md': 'it needs a collector',
  'docs/operations.md': 'its commands change the machine',
  'docs/cluster.md': 'it needs several machines',
  'docs/console.md': 'test/browser',
}

t.test('what docs/questions.md says is not there yet is not there', async t => {
  const { api } = await serveHere(t)
  for (const [method, where] of [
    ['GET', '/usage'],
    ['PUT', '/budgets/anna'],
    ['PUT', '/agents/mine'],
  ] as const)
    t.equal((await api(method, where, method === 'GET' ? undefined : {})).status, 404, where)
})

t.test('every page with requests or commands of reprise is copied, or says why not', async t => {
  const docs = readdirSync(path.join(root, 'docs')).filter(name => name.endsWith('.md'))
  const all = ['README.md', 'docs/conversation/README.md', ...docs.map(name => `docs/${name}`)]
  for (const page of all) {
    const text = readFileSync(path.join(root, page), 'utf8')
    const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block)
    if (!blocks.some(block => /\bcurl |\breprise |npm start/.test(block ?? ''))) continue
    t.ok(page in pages || page in notCopied, page)
  }
})

for (const [page, expected] of Object.entries(pages))
  t.test(`somebody copies ${page}`, { skip: noReader }, async t => {
    // Folders of their own are as good as the usual one.
    const reader = await readerOf(t, page, page === 'docs/tasks.md' ? { DATA_DIR: 'elsewhere' } : {})
    if (!reader.blocks.some(({ text }) => /^([A-Z].* )?npm start$/m.test(text))) await reader.serves()
    const seen: Seen[] = await reader.copyAll()
    t.equal(seen.length, expected.length, seen.map(({ block }) => block.text).join('\n'))
    for (const [n, pattern] of expected.entries()) t.match(seen[n]?.printed ?? '', pattern)
  })
