// The command `reprise`. src/cli/exit.ts has the exit codes.
import { CommanderError } from 'commander'
import { keepBuild } from '../platform/built.ts'
import { mustLoadSqlite } from '../platform/sqlite/loadable.ts'
import { exitCodeOf } from './exit.ts'
import { createProgram } from './program.ts'

// The program that reads the output through a pipe may end. Then further output is dropped.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return
  process.stderr.write(`reprise: stdout cannot be written: ${error.message}\n`)
  process.exit(exitCodeOf(error) ?? 1)
})
process.stderr.on('error', () => {})

keepBuild()
try {
  mustLoadSqlite()
  await createProgram().parseAsync(process.argv)
} catch (error) {
  const code = exitCodeOf(error)
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2
  else if (code !== undefined) {
    process.stderr.write(`reprise: ${(error as Error).message}\n`)
    process.exit(code) // open handles must not keep the process alive after a failure
  } else throw error
}
