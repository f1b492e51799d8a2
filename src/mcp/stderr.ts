import type { Report } from '../contract/ports.ts'
import type { Child } from '../platform/children/children.ts'
import { type McpServer, withoutSecrets } from './server.ts'

/** The limits for what is reported of a server's stderr, in characters: in all, and of each line. */
const maxReported = 64 * 1024
const longestLine = 1000

/** Reports each line of a server's stderr to the operator, without the server's secrets. */
export const reportStderr = (child: Child, server: McpServer, report: Report): void => {
  let room = maxReported
  let rest = ''
  const reportLine = (line: string) => {
    const shown = withoutSecrets(server, line.slice(0, longestLine)).trimEnd()
    if (shown !== '') report('debug', `MCP server "${server.name}" on stderr`, { line: shown })
  }
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (room <= 0) return // read nevertheless, so that the server never blocks on it
    const lines = (rest + text.slice(0, room)).split('\n')
    rest = (lines.pop() ?? '').slice(0, longestLine)
    room -= text.length
    lines.forEach(reportLine)
  })
  child.stderr.once('end', () => reportLine(rest))
}
