// The long variant of test/projections/projector.test.ts: RUNS random histories, with and without a disk that fails.
process.env.RUNS ??= '1000'
await import('../projections/projector.test.ts')
