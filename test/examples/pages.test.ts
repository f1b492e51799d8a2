// Pages of the documents, as their reader copies them: every block works as it stands there, and prints what the page shows.
import t from 'tap'
import { noReader, readerOf, type Seen } from '../support/reader.ts'

/** Each page, with what its blocks print one after the other, beside what the page itself shows. */
const pages: Record<string, RegExp[]> = {
  'README.md': [
    /^export URL=/m,
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
  ],
  'docs/questions.md': [
    /^$/,
    /The tool says “42”|42/,
    /./,
    /"role":"user"/,
    /^user\ttasks\tinput_tokens\toutput_tokens\tcached_tokens\treasoning_tokens\ndefault\t1\t0\t0\t0\t0$/m,
  ],
  'docs/group-chats.md': [/"name":"cem"/],
  'docs/fork-and-diff.md': [
    /"Second\."[\s\S]*"forked_from":\{"task_id":"to-fork","at":7\}/,
    /First\.[\s\S]*Something else\.[\s\S]*task\.completed/,
    /"first_divergence"/,
  ],
  'docs/cron.md': [/^$/, /"next_run_at"/, /"runs":\[\]/, /"paused"[\s\S]*"run_id"/],
  'docs/webhooks.md': [/^$/, /"secret":"whsec_/],
}

for (const [page, expected] of Object.entries(pages))
  t.test(`somebody copies ${page}`, { skip: noReader }, async t => {
    // Folders of their own are as good as the usual one.
    const reader = await readerOf(t, page, page === 'docs/tasks.md' ? { DATA_DIR: 'elsewhere' } : {})
    if (page !== 'README.md') await reader.serves()
    const seen: Seen[] = await reader.copyAll()
    t.equal(seen.length, expected.length, seen.map(({ block }) => block.text).join('\n'))
    for (const [n, pattern] of expected.entries()) t.match(seen[n]?.printed ?? '', pattern)
  })
