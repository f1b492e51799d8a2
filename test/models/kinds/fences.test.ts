// The kind: an answer that must be JSON is refused, because the model has put it into a fence. The fence around a whole
// answer is taken off; every other text stays as it is.
import t from 'tap'
import { createFenceFilter } from '../../../src/agents/model/fence.ts'
import { createThinkSplitter } from '../../../src/agents/model/think.ts'
import { replayTasks, type SentMessage, sse } from '../../agents/streams/replay.ts'
import { textsOf } from '../../http/agent-tasks.ts'
import { delta } from '../../support/fake-model.ts'

const json = '{"ok":true}'
const inside = JSON.stringify({ ok: true, code: '```js\nx\n```' })
/** What the model says, and the text of the task; `null`: it is refused and corrected. */
const table: Record<string, [said: string, text: string | null, refused?: string]> = {
  'JSON alone': [json, json],
  'a fence with a name': ['```json\n{"ok":true}\n```', json],
  'a fence without a name': ['```\n{"ok":true}\n```', json],
  'a fence with a name in capitals': ['```JSON\n{"ok":true}\n```\n', json],
  'a fence of tildes': ['~~~json\n{"ok":true}\n~~~', json],
  'blanks around a fence': ['\n\n ```json \n{"ok":true}\n\n``` \n', json],
  'line ends with CR': ['```json\r\n{"ok":true}\r\n```\r\n', json],
  'a fence on the line of its JSON': ['```json {"ok":true}```', json],
  'a longer fence': ['````json\n{"ok":true}\n````', json],
  'a fence in a text of the JSON': [inside, inside],
  'a fence in a text within a fence': [`\`\`\`json\n${inside}\n\`\`\``, inside],
  'a fence that never ends': ['```json\n{"ok":true}', json],
  'words before a fence': ['Sure:\n```json\n{"ok":true}\n```', null],
  // The opening fence was taken off before the words came.
  'words after a fence': [
    '```json\n{"ok":true}\n```\nHope it helps',
    null,
    '{"ok":true}\n```\nHope it helps',
  ],
  'ticks that are no fence': ['`{"ok":true}`', null],
}
const cuts: Record<string, (text: string) => string[]> = {
  'at once': text => [text],
  'letter by letter': text => [...text],
  'in threes': text => text.match(/[\s\S]{1,3}/g) ?? [],
}
const schema = { type: 'object', required: ['ok'], properties: { ok: { type: 'boolean' } } }

for (const [how, cut] of Object.entries(cuts)) {
  t.test(how, async t => {
    const { ask, asked } = await replayTasks(t, ({ content }: SentMessage) => {
      const [said = json] = table[String(content)] ?? []
      return {
        body: [sse(...cut(said).map(piece => delta({ content: piece })), delta({}, 'stop'), '[DONE]')],
      }
    })
    for (const [name, [said, text, refused = said]] of Object.entries(table)) {
      const before = asked.length
      const task = await ask({ user_message_content: name, structured_output: schema })
      t.equal(task.status, 'completed', `${name}: ${JSON.stringify(task.error)}`)
      t.same(textsOf(task), text === null ? [refused, json] : [text], name)
      t.equal(asked.length - before, text === null ? 2 : 1, name)
    }
  })
}

t.test('blanks without end, and ticks without an end, are read once', async t => {
  const blanks = ' \n'.repeat(200_000)
  const fence = createFenceFilter()
  const said = [...'```json\n{}', ...(blanks.match(/.{1,10}/gs) ?? []), '.'].map(fence.hear).join('')
  t.equal(said + fence.end(), `{}${blanks}.`)
  const open = createFenceFilter()
  t.equal(open.hear(`\`\`\`${blanks.replaceAll('\n', ' ')}`).length, blanks.length + 3)
  const splitter = createThinkSplitter()
  t.same([...blanks, 'x'].flatMap(splitter.hear), [{ kind: 'text', text: `${blanks}x` }])
})

t.test('an answer that may be anything keeps its fence', async t => {
  const said = '```json\n{"ok":true}\n```'
  const { ask } = await replayTasks(t, () => ({ body: [sse(delta({ content: said }, 'stop'), '[DONE]')] }))
  t.same(textsOf(await ask()), [said])
})
