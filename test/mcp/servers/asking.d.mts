import type { Server } from '@modelcontextprotocol/server'

export function makeAskingServer(): Server
