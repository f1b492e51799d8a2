// The types of the part of autocannon that is used here. The package has no types.
declare module 'autocannon' {
  type Options = {
    url: string
    connections: number
    duration?: number
    amount?: number
    timeout?: number
    /** The most requests a second, of all connections. */
    overallRate?: number
    requests: { method: string; path: string; headers: Record<string, string>; body: string }[]
  }
  type Result = {
    /** Seconds. */
    duration: number
    '2xx': number
    non2xx: number
    errors: number
    timeouts: number
    latency: { p50: number; p99: number }
  }
  export default function autocannon(options: Options): Promise<Result>
}
