// reprise console: prints a link that signs in to the console. It asks a server for the link.
import { type Asking, print, printJson } from './ask.ts'
import { mustFindServer } from './connection.ts'

export const consoleLink = async (options: Asking): Promise<void> => {
  const { publicUrl, ask } = mustFindServer(options)
  const { ticket, expires_in } = await ask(client =>
    client.request<{ ticket: string; expires_in: number }>({ method: 'POST', path: '/v1/auth/login-ticket' }),
  )
  const url = `${publicUrl}/ui#login=${ticket}`
  process.stderr.write(
    `the link works once, within ${expires_in} seconds, and gives an admin token for 12 hours\n`,
  )
  if (options.json) printJson({ url, expires_in })
  else print(url)
}
