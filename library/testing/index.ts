// The package `reprise/testing`.
export { killEverywhere } from './kills.ts'
export { startTestServer } from './server.ts'
export type * from './types.ts'
