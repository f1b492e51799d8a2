// The long variant of test/log/renewal.test.ts: a renewal is cut at each of its frames.
process.env.CUT_EVERY ??= '1'
await import('../log/renewal.test.ts')
