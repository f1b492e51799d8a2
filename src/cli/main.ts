// The reprise command. Exit codes: 0 ok, 1 the answer is no, 2 usage or configuration, 3 server not reached.
import { Command, CommanderError } from 'commander'
import { version } from '../version.ts'
import { exitCodeOf } from './exit.ts'
import { serve } from './serve.ts'
import { createToken, listTokens, revokeToken } from './token.ts'

const program = new Command('reprise')
  .description('runs agent tasks on an append-only event log')
  .version(version)
  .exitOverride()
  .showSuggestionAfterError()

program.command('serve').description('start the server (configured by environment variables)').action(serve)

const token = program.command('token').description('make, list and revoke access tokens')
token
  .command('create')
  .description('print a new token, alone on the last line of stdout')
  .requiredOption('--role <role>', 'admin, user, auditor or subscriber')
  .option('--user-id <id>', 'the only user it stands for (default: all users)')
  .option('--ttl <seconds>', 'how long it is valid (default: for ever)')
  .action(createToken)
token.command('list').description('list tokens; the tokens themselves are never shown').action(listTokens)
token.command('revoke').argument('<id|token>').description('revoke a token').action(revokeToken)

for (const command of [token, ...program.commands, ...token.commands]) command.exitOverride()

try {
  await program.parseAsync(process.argv)
} catch (error) {
  const code = exitCodeOf(error)
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2
  else if (code !== undefined) {
    process.stderr.write(`reprise: ${(error as Error).message}\n`)
    process.exitCode = code
  } else throw error
}
