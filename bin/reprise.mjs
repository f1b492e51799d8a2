#!/usr/bin/env node
// The sources are TypeScript and run as they are.
import { register } from 'tsx/esm/api'

register()
await import('../src/cli/main.ts')
