// A worker with the agent errands.
import { worker } from 'reprise/agent'
import errands from './agents/errands.mjs'

const { URL: url, TOKEN: token } = process.env
await worker({ url, token, agents: { remote: errands } })
console.log('ready')
