// A server that is a process: `slow` makes `look` take for ever, `modern` refuses the older handshake.
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { makeServer } from './tools.mjs'

const wants = new Set(process.argv.slice(2))
console.error(`started, and my key is ${process.env.API_KEY}`)
serveStdio(() => makeServer({ slow: wants.has('slow') }), wants.has('modern') ? { legacy: 'reject' } : {})
