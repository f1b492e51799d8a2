// The tools that every server has. They reach the task's own folder and nothing else.
import type { Clock, Timers } from '../contract/ports.ts'
import type { Tool } from '../contract/tools.ts'
import { calculator } from './calculator.ts'
import { currentTime } from './current-time.ts'
import { listFiles } from './list-files.ts'
import { readFile } from './read-file.ts'
import { runJavascript } from './run-javascript.ts'
import { searchFiles } from './search-files.ts'
import { writeFile } from './write-file.ts'

export const builtinTools = ({ clock, timers }: { clock: Clock; timers: Timers }): Tool[] => [
  calculator,
  currentTime(clock),
  readFile,
  writeFile,
  listFiles,
  searchFiles(timers),
  runJavascript(timers),
]
