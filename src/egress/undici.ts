// What is used of this library, in a file of its own, so that it is loaded when it is needed (like src/metrics/prom-client.ts).
export { Agent, buildConnector, fetch } from 'undici'
