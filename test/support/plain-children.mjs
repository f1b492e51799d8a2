// Loaded before each test file: what tests start runs as users start it. tap would load its own hooks into every
// process and count the lines that run there, which doubles the time to start a command, and shows in its environment.
import { createRequire } from 'node:module'

const ofTap = createRequire(import.meta.resolve('@tapjs/processinfo'))
ofTap('process-on-spawn').removeAllListeners()
delete process.env.NODE_OPTIONS // the same hooks, for processes that are given our variables
