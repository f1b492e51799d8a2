#!/usr/bin/env node
// Follows all public events. For each event it prints one line: the position, a tab, and the JSON. After a broken connection it
// continues after the last position, so that it loses no event and prints none twice.
// usage: TOKEN=... node follow-events.mjs [URL [CURSOR]]     CURSOR: a position, or earliest. Without it, only new events
const [url = 'http://127.0.0.1:8080', start] = process.argv.slice(2)
let cursor = start
if (!process.env.TOKEN) {
  console.error('TOKEN is not set: paste the line `export PORT=…` that the server prints when it starts')
  process.exit(2)
}

let said
/** Prints a message on stderr, since events go to stdout. Skips a message that equals the one before. */
const say = words => {
  if (words !== said) console.error(words)
  said = words
}

const follow = async () => {
  const leave = new AbortController()
  const silence = setTimeout(() => leave.abort(), 30_000) // the server sends a comment every ten seconds
  const headers = { authorization: `Bearer ${process.env.TOKEN}`, accept: 'text/event-stream' }
  if (cursor !== undefined) headers['last-event-id'] = cursor
  const answer = await fetch(`${url}/api/events`, { headers, signal: leave.signal })
  if (answer.status >= 400 && answer.status < 500) {
    console.error(`refused: ${answer.status} ${await answer.text()}`)
    process.exit(1)
  }
  if (answer.ok) say(`waiting for events of ${url} (Ctrl-C ends it)`)
  let text = ''
  for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
    silence.refresh()
    const blocks = (text + piece).split('\n\n')
    text = blocks.pop() // the last block may still be incomplete
    for (const block of blocks) {
      const { id, event, data } = Object.fromEntries(block.split('\n').map(line => line.split(/: (.*)/)))
      cursor = id
      if (event !== 'Position') console.log(`${id}\t${data}`)
    }
  }
}

for (;;) {
  await follow().catch(() => {})
  say(`waiting for the server at ${url}`)
  await new Promise(resolve => setTimeout(resolve, 1000))
}
