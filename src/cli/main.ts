// The reprise command. Exit codes: 0 ok, 1 the answer is no, 2 usage or configuration, 3 server not reached.
import { Command, CommanderError } from 'commander'
import { version } from '../version.ts'
import { exitCodeOf } from './exit.ts'
import { fakeModel } from './model-fake.ts'
import { serve } from './serve.ts'
import { createToken, listTokens, revokeToken } from './token.ts'
import { tryTask } from './try.ts'

const program = new Command('reprise')
  .description('runs agent tasks on an append-only event log')
  .version(version)
  .exitOverride()
  .showSuggestionAfterError()

program.command('serve').description('start the server (configured by environment variables)').action(serve)

program
  .command('try')
  .description('run a task and follow it here, with the running server or without one')
  .argument('<question>', 'what the agent is asked')
  .option('--agent <id>', 'which agent (default: as the server decides)')
  .option('--session <id>', 'the conversation that it belongs to')
  .option('--json', 'print each frame of the stream as a line of JSON, and nothing else')
  .option('--no-color', 'no colours (also NO_COLOR; FORCE_COLOR: colours where no terminal is)')
  .action(tryTask)

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

const model = program.command('model').description('models to try things with')
model
  .command('fake')
  .description('start a model that plays a script, for tests; OpenAI-compatible, without a key')
  .option('--port <port>', 'where it listens', '8090')
  .option('--host <host>', 'on which address', '127.0.0.1')
  .option('--script <file>', 'a JSON list of answers, used in order (default: it finds its own)')
  .action(fakeModel)

for (const command of [token, ...program.commands, ...token.commands, ...model.commands])
  command.exitOverride()

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
