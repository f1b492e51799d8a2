// A thread does not inherit the loader of its parent on Node 20: register it, then run the real thing.
import { register } from 'tsx/esm/api'

register()
await import('./javascript-thread.ts')
