// Makes the name of a server's tool for an agent: `<server>__<tool>`, in characters that every model endpoint accepts.
import { hash } from 'node:crypto'

/** The greatest length of a name, in characters. */
const longest = 64
/** How many characters of a hash are at the end of a changed name. */
const hashed = 8

const clean = (text: string): string => text.replace(/[^A-Za-z0-9_-]/g, '_')

/** Whether the name shows where the server's part ends and the tool's begins, so that no two tools share a name. */
const isPlain = (server: string, name: string): boolean =>
  /^[A-Za-z0-9_-]+$/.test(name) && name.length <= longest && !server.includes('__') && !server.endsWith('_')

/** The name of a tool whose plain name is not usable: cleaned, cut, and distinct by a hash of server and tool. */
const hashedName = (server: string, tool: string): string => {
  const mark = hash('sha256', JSON.stringify([server, tool])).slice(0, hashed)
  return `${clean(`${server}__${tool}`).slice(0, longest - hashed - 1)}_${mark}`
}

export const toolName = (server: string, tool: string): string => {
  const name = `${server}__${tool}`
  return isPlain(server, name) ? name : hashedName(server, tool)
}

/** Whether a tool of this name may belong to this server. If not, the server need not be asked for its tools. */
export const mayBeOf = (server: string, name: string): boolean =>
  name.startsWith(clean(`${server}__`).slice(0, longest - hashed - 1))
