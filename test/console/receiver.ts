// A receiver of webhooks that accepts everything, except at paths that end in /nowhere.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Resolves to its address, and to a function that ends it. */
export const receive = async (): Promise<{ address: string; end: () => void }> => {
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => response.writeHead(request.url?.endsWith('/nowhere') ? 500 : 204).end())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    address: `http://127.0.0.1:${port}/hook`,
    end: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
