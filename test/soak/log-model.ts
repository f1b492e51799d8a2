// Thousands of seeds for test/log/model.test.ts. SEEDS=20000 node test/soak/log-model.ts
process.env.SEEDS ??= '5000'
await import('../log/model.test.ts')
