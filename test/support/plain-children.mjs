// Loaded before each test file, so that processes that tests start run as they do for users. Otherwise tap would load
// its hooks into every process and count the lines that run there. That doubles the time to start a command, and adds
// variables to its environment.
import { createRequire } from 'node:module'

const ofTap = createRequire(import.meta.resolve('@tapjs/processinfo'))
ofTap('process-on-spawn').removeAllListeners()
delete process.env.NODE_OPTIONS // the same hooks, for processes that are given our variables
