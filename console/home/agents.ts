// Reads the agents of the server once, and keeps them.

import { signal } from '@preact/signals'
import type { Static } from 'typebox'
import type { AgentInfo } from '../../src/contract/wire.ts'
import { api } from '../api/session.ts'

type Agent = Pick<Static<typeof AgentInfo>, 'name' | 'description'>

export const agents = signal<Agent[]>([])

/** Reads the agents, unless they are known. */
export const readAgents = async (): Promise<void> => {
  if (agents.value.length > 0) return
  const { data } = await api.send<{ data: Agent[] }>('GET', '/agents')
  agents.value = data
}
