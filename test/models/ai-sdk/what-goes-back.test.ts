// What a provider of the AI SDK gave with a turn goes back to it, in its place and in its order.
import t from 'tap'
import type { GivenTurn } from '../../../src/contract/agent.ts'
import type { OutputItem } from '../../../src/contract/wire.ts'
import { finish, opened, parts, serveParts, stepOf, text } from './support.ts'

const options = (id: string) => ({ parts: { signature: id } })
const given = (id: string) => ({ providerMetadata: options(id) })

const sealed = parts(
  { type: 'reasoning-start', id: 'r1' },
  { type: 'reasoning-end', id: 'r1', ...given('sealed') },
)
const thought = parts(
  { type: 'reasoning-start', id: 'r2' },
  { type: 'reasoning-delta', id: 'r2', delta: 'I think.' },
  { type: 'reasoning-end', id: 'r2', ...given('thought') },
)
const said = parts(
  { type: 'text-start', id: 't', ...given('said') },
  { type: 'text-delta', id: 't', delta: 'I look.' },
  { type: 'text-end', id: 't' },
)
const called = parts({
  type: 'tool-call',
  toolCallId: 'their-1',
  toolName: 'look',
  input: '{"at":1}',
  ...given('call'),
})
const custom = parts({ type: 'custom', kind: 'parts.compaction', ...given('custom') })
const body = [sealed, thought, said, called, custom, finish('tool-calls')]

const user: OutputItem = { type: 'message', id: 'msg_0', role: 'user', message_content: 'look' }
const items: OutputItem[] = [
  user,
  {
    type: 'reasoning',
    id: 'rs_1',
    status: 'completed',
    summary: [],
    content: [{ type: 'reasoning_text', text: 'I think.' }],
  },
  { type: 'message', id: 'msg_1', status: 'completed', role: 'assistant', message_content: 'I look.' },
  {
    type: 'tool_call',
    id: 'fc_1',
    status: 'completed',
    call_id: 'call_1',
    name: 'look',
    arguments: '{"at":1}',
  },
  {
    type: 'tool_result',
    id: 'fr_1',
    status: 'completed',
    call_id: 'call_1',
    message_content: 'seen',
    block_list: [],
  },
]

/** The turn of a step with this answer, and an endpoint that is asked next. */
const played = async (t: import('tap').Test, env: Record<string, string> = {}) => {
  const endpoint = await serveParts(t, nth => ({ body: nth === 0 ? body : [text('well'), finish('stop')] }))
  const agent = await opened({ ...endpoint.env, ...env })
  const { end } = await stepOf(agent, { items: [user] })
  const { request, response } = (
    end as { call: { request: { endpoint: string; model: string }; response: object } }
  ).call
  const { call_ids: callIds, kept } = response as { call_ids: string[]; kept: Record<string, unknown> }
  const turn: GivenTurn = {
    ...{ endpoint: request.endpoint, model: request.model, protocol: 'ai-sdk' },
    ...{ items: ['rs_1', 'msg_1', 'fc_1'], thoughts: ['rs_1'], calls: ['fc_1'], callIds, kept },
  }
  const next = async (turns: GivenTurn[]) => {
    await stepOf(agent, { items, turns })
    return endpoint.asked.at(-1)?.body.prompt as unknown[]
  }
  return { turn, next }
}
const result = (toolCallId: string) => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId, toolName: 'look', output: { type: 'text', value: 'seen' } }],
})
const call = (toolCallId: string) => ({ type: 'tool-call', toolCallId, toolName: 'look', input: { at: 1 } })

t.test('to the same endpoint and model', async t => {
  const { turn, next } = await played(t)
  t.same(await next([turn]), [
    { role: 'user', content: [{ type: 'text', text: 'look' }] },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: '', providerOptions: options('sealed') },
        { type: 'reasoning', text: 'I think.', providerOptions: options('thought') },
        { type: 'text', text: 'I look.', providerOptions: options('said') },
        { ...call('their-1'), providerOptions: options('call') },
        { type: 'custom', kind: 'parts.compaction', providerOptions: options('custom') },
      ],
    },
    result('their-1'),
  ])
})

t.test('to no other one', async t => {
  const { turn, next } = await played(t)
  const plain = [
    { role: 'user', content: [{ type: 'text', text: 'look' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'I look.' }, call('call_1')] },
    result('call_1'),
  ]
  t.same(await next([{ ...turn, model: 'another' }]), plain)
  t.same(await next([{ ...turn, endpoint: 'another' }]), plain)
  t.same(await next([{ ...turn, protocol: undefined }]), plain)
})

t.test('without custom parts in version 3, and without reasoning if that is switched off', async t => {
  const third = await played(t, { MODEL_PROVIDER_OPTIONS: '{"version":"v3"}' })
  t.match(await third.next([third.turn]), [{}, { content: { length: 4 } }, {}])
  const off = await played(t, { MODEL_SWITCHES: 'reasoning=off' })
  t.match(await off.next([off.turn]), [
    {},
    { content: [{ type: 'text', providerOptions: options('said') }, { type: 'tool-call' }] },
    {},
  ])
})

t.test('files are written in the words of each version', async t => {
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } } as const
  const linked = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } } as const
  const asked: OutputItem[] = [{ ...user, message_content: ['see', image, linked] } as OutputItem]
  const sent = async (version: string) => {
    const endpoint = await serveParts(t, () => ({ body: [text('well'), finish('stop')] }))
    await stepOf(await opened({ ...endpoint.env, MODEL_PROVIDER_OPTIONS: JSON.stringify({ version }) }), {
      items: asked,
    })
    const [message] = endpoint.asked[0]?.body.prompt ?? []
    const [, ...files] = (message?.content ?? []) as unknown[]
    return files
  }
  t.same(await sent('v4'), [
    { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'iVBORw0KGgo=' } },
    { type: 'file', mediaType: 'image/*', data: { type: 'url', url: 'https://example.com/a.png' } },
  ])
  t.same(await sent('v3'), [
    { type: 'file', mediaType: 'image/png', data: 'iVBORw0KGgo=' },
    { type: 'file', mediaType: 'image/*', data: 'https://example.com/a.png' },
  ])
})

t.test('what a package does not take is learned', async t => {
  const file = { type: 'file', file: { filename: 'a.pdf', file_data: 'JVBERi0=' } } as const
  const asked: OutputItem[] = [{ ...user, message_content: ['read', file] } as OutputItem]
  const endpoint = await serveParts(t, () => ({ body: [text('well'), finish('stop')] }))
  const agent = await opened({ ...endpoint.env, MODEL_PROVIDER_OPTIONS: '{"refuses":"application/pdf"}' })
  const { end } = await stepOf(agent, { items: asked })
  t.match(end, { end: 'answer', call: { request: { switches: { files: 'text' } } } })
  t.match(endpoint.asked[0]?.body.prompt, [
    { content: [{}, { text: /the file a\.pdf, which this model cannot take/ }] },
  ])
})
