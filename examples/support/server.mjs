// Serves the page, and receives the webhook.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { verifyWebhook } from 'reprise/client'

const { HOOK_SECRET, SHOP_URL } = process.env
const page = readFileSync(new URL('page.html', import.meta.url))
const client = readFileSync(new URL(import.meta.resolve('reprise/client')))

createServer(async (request, response) => {
  if (request.url === '/') return response.setHeader('content-type', 'text/html').end(page)
  if (request.url === '/client.mjs') return response.setHeader('content-type', 'text/javascript').end(client)
  const verified = text(request).then(body => verifyWebhook(body, request.headers, HOOK_SECRET))
  const event = await verified.catch(() => null)
  if (event !== null) console.log(event.data.task_id, event.data.new_status)
  response.writeHead(event === null ? 400 : 204).end()
}).listen(new URL(SHOP_URL).port, '127.0.0.1', () => console.log(`Open ${SHOP_URL}`))
