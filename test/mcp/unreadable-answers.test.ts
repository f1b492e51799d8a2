// The kind: an answer has come, but it is not as the protocol wants it. What is there is used. What cannot be read fails
// its call at once, with the reason. No call waits ten minutes for an answer that has come.
import t, { type Test } from 'tap'
import { patienceMs } from '../../src/mcp/limits.ts'
import type { McpServer } from '../../src/mcp/server.ts'
import { pause } from '../support/http.ts'
import { type RawAnswer, result } from './servers/raw.mjs'
import { listOf, plainTool, rawPlace, rawProcess } from './servers/raw.ts'
import { folderOf, givenMcp } from './support.ts'

const said = (text: string) => ({ content: [{ type: 'text', text }] })
const good = result(said('good'))
const base = '"jsonrpc":"2.0","id":"$id"'

/** By name: what comes, and the content of the call's result. */
const used: Record<string, [string | string[], string]> = {
  'a NaN': [`{${base},"result":{"content":[],"structuredContent":{"mean":NaN}}}\n`, '{"mean":null}'],
  'infinite numbers': [
    `{${base},"result":{"content":[],"structuredContent":{"a":[-Infinity,Infinity],"b":"NaN"}}}\n`,
    '{"a":[null,null],"b":"NaN"}',
  ],
  'many lines': [`${JSON.stringify(JSON.parse(good), null, 2)}\n`, 'good'],
  'many lines that end in CRLF': [
    `${JSON.stringify(JSON.parse(good), null, 2).replaceAll('\n', '\r\n')}\r\n`,
    'good',
  ],
  'no newline': [good, 'good'],
  'many lines without the last newline': [JSON.stringify(JSON.parse(good), null, 2), 'good'],
  'words before it': [`progress 10%... ${good}\n`, 'good'],
  'words and a bracket before it': [`[12:00:00] INFO {"level": ${good}\n`, 'good'],
  'words after it': [`${good} done\n`, 'good'],
  'an open bracket in a line before it': [`listening {port\n${good}\n`, 'good'],
  'an open quote in a line before it': [`{ don"t panic\n${good}\n`, 'good'],
  'an open bracket before many lines': [
    `listening {port\n${JSON.stringify(JSON.parse(good), null, 2)}\n`,
    'good',
  ],
  'a log in JSON before it': [`{"level":"error","id":7,"error":"no matter"}\n${good}\n`, 'good'],
  'the request before it': [`got {'jsonrpc': '2.0', 'id': "$id", 'method': 'tools/call'}\n${good}\n`, 'good'],
  'the echo of the request before it': [`{${base},"method":"tools/call","params":{}}\n${good}\n`, 'good'],
  'a byte order mark': [`\uFEFF${good}\n`, 'good'],
  'a carriage return alone': [`${good}\r`, 'good'],
  'colours of a terminal': [`\u001b[32m${good}\u001b[0m\n`, 'good'],
  pieces: [[good.slice(0, 20), good.slice(20, 50), `${good.slice(50)}\n`], 'good'],
  'an id that is a text': [
    `{"jsonrpc":"2.0","id":"$text","result":${JSON.stringify(said('good'))}}\n`,
    'good',
  ],
  'another id': [`{"jsonrpc":"2.0","id":"$other","result":${JSON.stringify(said('good'))}}\n`, 'good'],
  'the id null': [`{"jsonrpc":"2.0","id":null,"result":${JSON.stringify(said('good'))}}\n`, 'good'],
  'no id': [`{"jsonrpc":"2.0","result":${JSON.stringify(said('good'))}}\n`, 'good'],
  'no version': [`{"id":"$id","result":${JSON.stringify(said('good'))}}\n`, 'good'],
  'another version': [
    `{"jsonrpc":"1.0","id":"$id","result":${JSON.stringify(said('good'))},"error":null}\n`,
    'good',
  ],
  'a list': [`[{"jsonrpc":"2.0","method":"notifications/x"},${good}]\n`, 'good'],
  'two at once': [`${good}${good}\n`, 'good'],
  'a newline in a text': [
    `{${base},"result":{"content":[{"type":"text","text":"two\nlines"}]}}\n`,
    'two\nlines',
  ],
  'an unknown notification before it': [
    `{"jsonrpc":"2.0","method":"notifications/odd","params":null}\n${good}\n`,
    'good',
  ],
  'no result': [`{${base}}\n`, ''],
  'the result null': [`{${base},"result":null}\n`, ''],
}

/** By name: what comes, and the reason of the failure. */
const refused: Record<string, [string, string]> = {
  'an error that is a text': [`{${base},"error":"no such file"}\n`, 'answered: no such file'],
  'a code that is a text': [
    `{${base},"error":{"code":"ENOENT","message":"no such file"}}\n`,
    'answered: no such file (ENOENT)',
  ],
  'a code that is a number in a text': [
    `{${base},"error":{"code":"-32602","message":"no such file"}}\n`,
    'answered: no such file',
  ],
  'no code': [`{${base},"error":{"message":"no such file"}}\n`, 'answered: no such file'],
  'a message that is null': [
    `{${base},"error":{"code":-32603,"message":null}}\n`,
    'answered: an error without a text, with the code -32603',
  ],
  'no message but data': [
    `{${base},"error":{"code":-32603,"data":{"detail":"no such file"}}}\n`,
    'answered: no such file',
  ],
  'a message and data': [
    `{${base},"error":{"code":-32603,"message":"Internal error","data":"no such file"}}\n`,
    'answered: Internal error: no such file',
  ],
  'an empty error': [`{${base},"error":{}}\n`, 'answered: an error without a text, with the code missing'],
  'an error that is true': [`{${base},"error":true}\n`, 'answered: an error without a text'],
  'the error beside the version': [
    `{${base},"code":-1,"message":"no such file"}\n`,
    'answered: no such file',
  ],
  'an error with the id null': [
    `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}\n`,
    'answered: Parse error',
  ],
  'quotes of Python': [
    `{'jsonrpc': '2.0', 'id': "$id", 'result': {'content': []}}\n`,
    `sent an answer that cannot be read: {'jsonrpc': '2.0', 'id': 6, 'result': {'content': []}}`,
  ],
  'too many brackets': [
    `{${base},"result":${'['.repeat(2000)}${']'.repeat(2000)}}\n`,
    'sent an answer that cannot be read: {"jsonrpc":"2.0"',
  ],
}

/** Nothing follows after these. */
const cut: Record<string, string> = {
  'an answer that stops in the middle': `{${base},"result":{"content":[{"type":"text","text":"go`,
  'an answer that stops after a line': `{${base},"result":{"content":\n`,
}

const answerOf = (writes: string | string[], more: Partial<RawAnswer> = {}): RawAnswer => ({
  writes: [writes].flat(),
  ...more,
})
type Row = string | string[]
/** A server that has a tool for each row. */
const scriptOf = (rows: Record<string, Row>, more: (text: Row) => RawAnswer) => ({
  lists: [listOf([...Object.keys(rows), 'good'].map(plainTool))],
  calls: {
    ...Object.fromEntries(Object.entries(rows).map(([name, text]) => [name, more(text)])),
    good: more(`${good}\n`),
  },
})

/** How texts come: printed by a process, as the body of an HTTP answer, or as events. */
const ways: Record<string, (t: Test, rows: Record<string, Row>) => Promise<McpServer>> = {
  'from a process': async (t, rows) =>
    rawProcess(
      folderOf(t),
      scriptOf(rows, text => answerOf(text)),
    ),
  'over HTTP': async (t, rows) =>
    (
      await rawPlace(
        t,
        scriptOf(rows, text => answerOf(text)),
      )
    ).server,
  'as an event': async (t, rows) => {
    const asEvent = (text: Row) =>
      [text]
        .flat()
        .join('')
        .replace(/[\r\n]+/g, '\ndata: ')
    const headers = { 'content-type': 'text/event-stream' }
    const more = (text: Row) =>
      answerOf(`: hello\n\ndata:\n\nevent: message\ndata: ${asEvent(text)}\n\n`, { headers })
    return (await rawPlace(t, scriptOf(rows, more))).server
  },
}

const first = ([text]: [Row, string]): Row => text
const textsOf = (rows: Record<string, [Row, string]>) =>
  Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, first(row)]))

for (const [way, serve] of Object.entries(ways)) {
  const calling = async (t: Test, rows: Record<string, Row>) => {
    const mcp = await givenMcp(t, [await serve(t, rows)])
    const tools = new Map(
      (await mcp.list()).map((tool, index) => [
        [...Object.keys(rows), 'good'][index],
        tool.definition.function.name,
      ]),
    )
    return { ...mcp, callOf: (name: string) => mcp.call(tools.get(name) ?? '') }
  }

  t.test(`an answer ${way} that is there is used`, async t => {
    const { callOf } = await calling(t, textsOf(used))
    for (const [name, [, content]] of Object.entries(used)) t.equal(await callOf(name), content, name)
  })

  t.test(`an answer ${way} that cannot be read is a failure at once, and harms no other call`, async t => {
    const { callOf } = await calling(t, textsOf(refused))
    for (const [name, [, reason]] of Object.entries(refused)) {
      const error = (await callOf(name).catch(error => error)) as Error
      const expected = `the MCP server "s" ${reason}`.replace(/'id': \d+/, '')
      t.ok(error.message.replace(/'id': \d+/, '').startsWith(expected), `${name}: ${error.message}`)
      t.equal(await callOf('good'), 'good', `after ${name}`)
    }
  })

  t.test(`an answer ${way} that has begun is awaited for some seconds`, async t => {
    const { callOf, world } = await calling(t, cut)
    for (const name of Object.keys(cut)) {
      const failed = callOf(name).catch((error: Error) => error.message)
      let waited = 0
      for (let isOver = false; !isOver; waited += 500) {
        void failed.then(() => {
          isOver = true
        })
        await pause(20)
        await world.advance(500)
      }
      t.match(
        await failed,
        /^the MCP server "s" sent an answer that cannot be read: \{"jsonrpc":"2\.0"/,
        name,
      )
      t.ok(waited < 10 * patienceMs, `${waited} ms`)
      t.equal(await callOf('good'), 'good', `after ${name}`)
    }
  })
}
