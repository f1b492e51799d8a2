// Reads a server's answer to `initialize`. The client refuses versions that it does not know, and fields of another
// form. But the tools of all versions of this handshake are listed and called in the same way.
import { type Fields, isFields } from './heard.ts'

const textOr = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise)

/**
 * The answer in the form that the client accepts. `offered`: the version that the client has named. `known`: the
 * versions that it knows.
 */
export const readGreeting = (answer: Fields, offered: unknown, known: readonly string[]): Fields => {
  const { protocolVersion, capabilities, serverInfo, instructions } = answer
  const declared = isFields(capabilities) ? capabilities.tools : undefined
  const info = isFields(serverInfo) ? serverInfo : {}
  const hasTools = declared !== undefined && declared !== null && declared !== false
  return {
    protocolVersion: known.includes(protocolVersion as string) ? protocolVersion : offered,
    // Servers report changes of their tools also when they have not declared it.
    capabilities: hasTools ? { tools: { listChanged: true } } : {},
    serverInfo: { name: textOr(info.name, 'unknown'), version: textOr(info.version, 'unknown') },
    ...(typeof instructions === 'string' ? { instructions } : {}),
  }
}
