// The command `reprise`. src/cli/terminal/exit.ts has the exit codes.
import { CommanderError } from 'commander'
import { markBuild } from '../platform/built.ts'
import { mustLoadSqlite } from '../platform/sqlite/loadable.ts'
import { createProgram } from './program.ts'
import { exitCodeOf } from './terminal/exit.ts'
import { withoutControls } from './terminal/printer.ts'

// The program that reads the output through a pipe may end. Then further output is dropped.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return
  process.stderr.write(`reprise: stdout cannot be written: ${error.message}\n`)
  process.exit(exitCodeOf(error) ?? 1)
})
process.stderr.on('error', () => {})

markBuild()
try {
  mustLoadSqlite()
  await createProgram().parseAsync(process.argv)
} catch (error) {
  const code = exitCodeOf(error)
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2
  else if (code !== undefined) {
    process.stderr.write(`reprise: ${withoutControls((error as Error).message)}\n`) // it may quote what others wrote
    process.exit(code) // open handles must not keep the process alive after a failure
  } else throw error
}
