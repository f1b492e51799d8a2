// Two minutes of tasks that are created and deleted at once. SEED=n repeats a run, SECONDS=n shortens it.
process.env.SECONDS ??= '120'
await import('../server/create-and-delete.test.ts')
