// A hundred and fifty faults of NATS while events are stored and followed. SEED=n repeats a run, FAULTS=n shortens it.
process.env.FAULTS ??= '150'
await import('../bus/nats-faults.test.ts')
