// Loaded before each test file when lines are counted, so that the processes that tests start run as they do for users.
// Otherwise tap would load its hooks into these processes too and count their lines.
import { createRequire } from 'node:module'

const ofTap = createRequire(import.meta.resolve('@tapjs/processinfo'))
ofTap('process-on-spawn').removeAllListeners()
delete process.env.NODE_OPTIONS // the same hooks, for processes that are given our variables
