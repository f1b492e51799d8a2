// The reprise command. Exit codes: 0 ok, 1 the answer is no, 2 usage or configuration, 3 server not reached.
import { CommanderError } from 'commander'
import { exitCodeOf } from './exit.ts'
import { createProgram } from './program.ts'

// Whoever reads a pipe may go away: what is said then is said to nobody.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})

try {
  await createProgram().parseAsync(process.argv)
} catch (error) {
  const code = exitCodeOf(error)
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2
  else if (code !== undefined) {
    process.stderr.write(`reprise: ${(error as Error).message}\n`)
    process.exitCode = code
  } else throw error
}
