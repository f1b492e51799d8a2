// A worker of the agent that the bench own-agents measures. REPRISE_URL and REPRISE_TOKEN name the server. SLOTS says how many
// tasks it takes at once.
import { worker } from '../../library/agent/index.ts'
import { twenty } from './twenty-steps.ts'

const { REPRISE_URL: url = '', REPRISE_TOKEN: token = '', SLOTS: slots = '16' } = process.env
await worker({ url, token, agents: { away: twenty }, slots: Number(slots) })
process.stdout.write('connected\n')
