// A hundred kills during the steps of environment sessions. SEED=n repeats a run, ROUNDS=n shortens it.
process.env.ROUNDS ??= '100'
await import('../server/session-kill.test.ts')
