// The copy of XState for files of agents that have no other.
export * from 'xstate'
