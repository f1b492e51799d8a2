// What an agent calls a server's tool: `<server>__<tool>`, in letters that every model's endpoint takes.
import { hash } from 'node:crypto'

const longest = 64
const hashed = 8

const clean = (text: string): string => text.replace(/[^A-Za-z0-9_-]/g, '_')

/** Where the server ends and the tool begins is seen in such a name, so no two tools have the same. */
const isPlain = (server: string, name: string): boolean =>
  /^[A-Za-z0-9_-]+$/.test(name) && name.length <= longest && !server.includes('__') && !server.endsWith('_')

/** Any other is cleaned and cut, and told apart by a hash of both. */
const hashedName = (server: string, tool: string): string => {
  const mark = hash('sha256', JSON.stringify([server, tool])).slice(0, hashed)
  return `${clean(`${server}__${tool}`).slice(0, longest - hashed - 1)}_${mark}`
}

export const toolName = (server: string, tool: string): string => {
  const name = `${server}__${tool}`
  return isPlain(server, name) ? name : hashedName(server, tool)
}

/** Whether a name may be that of a tool of this server: the others need not be asked. */
export const mayBeOf = (server: string, name: string): boolean =>
  name.startsWith(clean(`${server}__`).slice(0, longest - hashed - 1))
