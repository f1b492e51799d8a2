// Run once: makes a job for each morning, and a webhook whose secret the server of the page needs.
import { Reprise } from 'reprise/client'

const { cron, webhooks } = new Reprise()
const task = { user_message_content: 'Wish the support team a good morning.' }
await cron.create({ name: 'morning', schedule: '0 8 * * 1-5', task })
const hook = await webhooks.create({ url: `${process.env.SHOP_URL}/hook`, types: ['TaskStatusChanged'] })
console.log(`export HOOK_SECRET=${hook.secret}`)
