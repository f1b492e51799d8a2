#!/usr/bin/env node
// Prints how many tasks each user has begun, and how many tokens these tasks have used, with those of their subagents. Fields
// are separated by tabs.
// usage: TOKEN=... node tokens-by-user.mjs [URL [SINCE]]     SINCE: a date or a time (ISO 8601); usually the begin of this month
const monthBegin = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth())).toISOString()
const [url = 'http://127.0.0.1:8080', since = monthBegin] = process.argv.slice(2)
if (!process.env.TOKEN) {
  console.error('TOKEN is not set: paste the line `export PORT=…` that the server prints when it starts')
  process.exit(2)
}
const kinds = ['input_tokens', 'output_tokens', 'cached_tokens', 'reasoning_tokens']

/** All tasks, oldest first, page by page. Tasks of subagents are counted with the tasks that have called them. */
async function* tasks() {
  for (let last; ; ) {
    const query = new URLSearchParams({ created_after: since, fields: 'summary', order: 'asc', limit: '100' })
    if (last !== undefined) query.set('starting_after', last)
    const headers = { authorization: `Bearer ${process.env.TOKEN}` }
    const answer = await fetch(`${url}/v1/tasks?${query}`, { headers })
    if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`)
    const { result } = await answer.json()
    yield* result
    if (result.length < 100) return
    last = result.at(-1).id
  }
}

const users = new Map()
for await (const { user_id, usage, metadata } of tasks()) {
  const sum = users.get(user_id) ?? { tasks: 0 }
  users.set(user_id, sum)
  sum.tasks++
  for (const used of [usage, metadata?.subagent_usage])
    for (const kind of kinds) sum[kind] = (sum[kind] ?? 0) + (used?.[kind] ?? 0)
}
console.log(['user', 'tasks', ...kinds].join('\t'))
for (const [user, sum] of users) console.log([user, sum.tasks, ...kinds.map(kind => sum[kind])].join('\t'))
