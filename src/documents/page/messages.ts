// The messages of all streams on the page, as the AsyncAPI document has them.
import { asyncApi } from '../asyncapi.ts'
import type { Json } from '../schemas.ts'
import { code, escaped, line, prose } from './html.ts'
import { fieldsOf, schemaPrefix, typeOf } from './schema.ts'

type Message = { name: string; title: string; summary?: string; payload: Json }
type Channel = { address: string; title: string; description: string; messages: Record<string, unknown> }
type Document = {
  channels: Record<string, Channel>
  components: { messages: Record<string, Message>; schemas: Record<string, Json> }
}

/** The fields of a message, as a table below the message. */
const payloadOf = (payload: Json, schemas: Record<string, Json>): string => {
  const named = typeof payload.$ref === 'string' ? payload.$ref.slice(schemaPrefix.length) : undefined
  const fields = fieldsOf(named === undefined ? payload : (schemas[named] ?? {}))
  return `${named === undefined ? '' : `<p>Data: ${typeOf(payload)}</p>`}${fields}`
}

const idOf = (key: string): string => `message-${key}`

const section = (key: string, { name, summary = '', payload }: Message, schemas: Record<string, Json>) =>
  `<details id="${idOf(key)}"><summary><span class="method message">event</span> ${code(name)} <span>${line(summary)}</span></summary>
${payloadOf(payload, schemas)}</details>`

/** `named`: the schemas to which the messages refer. */
export const messages = (): { html: string; contents: string; named: Record<string, Json> } => {
  const text = JSON.stringify(asyncApi()).replaceAll('#/components/schemas/', schemaPrefix)
  const { channels, components } = JSON.parse(text) as Document
  const seen = new Set<string>()
  const groups = Object.values(channels).flatMap(channel => {
    const keys = Object.keys(channel.messages).filter(key => components.messages[key] !== undefined)
    const fresh = keys.filter(key => !seen.has(key))
    for (const key of fresh) seen.add(key)
    return fresh.length === 0 ? [] : [{ ...channel, fresh }]
  })
  const html = groups.map(
    ({ address, title, description, fresh }) =>
      `<h3>${escaped(title)}: ${code(address)}</h3>${prose(description)}${fresh
        .map(key => section(key, components.messages[key] as Message, components.schemas))
        .join('\n')}`,
  )
  const links = groups.flatMap(({ fresh }) =>
    fresh.map(
      key => `<li><a href="#${idOf(key)}">${escaped(components.messages[key]?.name ?? key)}</a></li>`,
    ),
  )
  return {
    html: html.join('\n'),
    contents: `<p><a href="#messages">Messages of streams</a></p><ul>${links.join('')}</ul>`,
    named: components.schemas,
  }
}
