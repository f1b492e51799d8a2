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

/** A name that is not usable: cleaned, cut, and distinct by a hash of what it stands for. */
const marked = (name: string, stands: string): string =>
  `${clean(name).slice(0, longest - hashed - 1)}_${hash('sha256', stands).slice(0, hashed)}`

export const toolName = (server: string, tool: string): string => {
  const name = `${server}__${tool}`
  return isPlain(server, name) ? name : marked(name, JSON.stringify([server, tool]))
}

/** The name of a tool that is offered without the name of its server. */
export const plainName = (tool: string): string =>
  /^[A-Za-z0-9_-]+$/.test(tool) && tool.length <= longest ? tool : marked(tool, JSON.stringify([tool]))

/** Whether a tool of this name may belong to this server. If not, the server need not be asked for its tools. */
export const mayBeOf = (server: string, name: string): boolean =>
  name.startsWith(clean(`${server}__`).slice(0, longest - hashed - 1))
