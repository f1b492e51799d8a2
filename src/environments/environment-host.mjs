// A process does not inherit the loader of its parent: register it, then run the real thing.
import { register } from 'tsx/esm/api'

register()
await import('./host/main.ts')
