// Loaded before each test file. tap follows each promise with async hooks, to know which test an error belongs to that
// nobody catches. The hooks take more processor time than most tests. Without them, such an error ends the process of
// the test file, so the file fails and its stderr shows the error.
import asyncHooks from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'

const noHook = {
  enable: () => noHook,
  disable: () => noHook,
}
asyncHooks.createHook = () => noHook
syncBuiltinESMExports()
