// Thousands of seeds for test/log/model.test.ts. SEEDS=20000 node --import tsx test/soak/log-model.ts
process.env.SEEDS ??= '5000'
await import('../log/model.test.ts')
