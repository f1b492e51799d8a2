import type { Server } from '@modelcontextprotocol/server'

export function makeServer(options?: { slow?: boolean }): Server
