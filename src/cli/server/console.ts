// reprise console: prints a link that signs in to the console. It asks the running server for the link.
import { readConfig } from '../../config.ts'
import { ask, print } from './ask.ts'
import { publicUrlOfServer } from './server.ts'

export const consoleLink = async (options: { json?: true }): Promise<void> => {
  const { ticket, expires_in } = await ask<{ ticket: string; expires_in: number }>(
    'POST',
    '/auth/login-ticket',
  )
  const url = `${publicUrlOfServer(readConfig(process.env))}/ui#login=${ticket}`
  process.stderr.write(
    `the link works once, within ${expires_in} seconds, and gives an admin token for 12 hours\n`,
  )
  print(options.json ? JSON.stringify({ url, expires_in }) : url)
}
