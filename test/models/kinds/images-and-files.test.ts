// The kind: images and files of users and tools are refused, because endpoints take them in different forms or not at
// all. Each strict imitation of a vendor accepts what its dialect sends, and nothing is left out without a note.
import t from 'tap'
import { tasksOf } from '../../http/agent-tasks.ts'
import { serveHere } from '../../support/server.ts'
import { serveImitation } from '../imitations/serve.ts'

const png =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const image = { type: 'input_image', image_url: { url: png } }
const file = (filename: string, file_data: string) => ({ type: 'file', file: { filename, file_data } })
const pdf = file('a.pdf', `data:application/pdf;base64,${Buffer.from('%PDF-1.4').toString('base64')}`)
const note = file('n.txt', `data:text/plain;base64,${Buffer.from('hello file').toString('base64')}`)
const call = { type: 'tool_call', call_id: 'c1', name: 'look', arguments: '{"at":1}' }
const result = (...message_content: object[]) => ({
  type: 'tool_result',
  call_id: 'c1',
  message_content,
  block_list: [],
})
const asked = { type: 'message', role: 'user', message_content: 'look' }

const requests: Record<string, object> = {
  'an image of the user': { user_message_content: ['see', image] },
  'an image alone': { user_message_content: [image] },
  'a file of text': { user_message_content: ['read', note] },
  'a file of a page': { user_message_content: ['read', pdf] },
  'an image of a tool': { history_messages: [asked, call, result({ type: 'text', text: 'here' }, image)] },
  'an image of a tool alone': { history_messages: [asked, call, result(image)] },
  'a file of a tool': { history_messages: [asked, call, result(pdf)] },
  'images of two tools': {
    history_messages: [
      asked,
      call,
      { ...call, call_id: 'c2' },
      result(image),
      { ...result(image), call_id: 'c2' },
    ],
  },
}
const names = [
  'openai',
  'azure',
  'gemini',
  'mistral',
  'deepseek',
  'openrouter',
  'vllm',
  'llama.cpp',
  'ollama',
] as const

for (const name of names) {
  t.test(name, async t => {
    const {
      url,
      model,
      requests: sent,
      refusals,
    } = await serveImitation(t, name, [{ text: 'done', when: '' }])
    const server = await serveHere(t, {
      ...{ MODEL_BASE_URL: url, MODEL: model, MODEL_DIALECT: name, MODEL_API_KEY: 'sk-imitation' },
    })
    const { post } = tasksOf(server.api)
    for (const [what, body] of Object.entries(requests)) {
      const { body: told, text } = await post(body)
      const { status, error } = (told.result ?? { error: { message: text } }) as {
        status?: string
        error?: { message: string }
      }
      t.equal(status, 'completed', `${what}: ${error?.message}`)
      const { raw = '' } = sent.at(-1) ?? {}
      t.ok(
        /iVBOR|cannot take|JVBERi0|hello file|aGVsbG8gZmlsZQ/.test(raw),
        `${what} is sent, or a note: ${raw.slice(0, 500)}`,
      )
    }
    t.same(refusals, [])
  })
}
