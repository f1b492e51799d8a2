// The types of the package `reprise/testing`.
import type { KillEverywhere, StartTestServer } from './types.ts'

export type * from './types.ts'
export declare const killEverywhere: KillEverywhere
export declare const startTestServer: StartTestServer
