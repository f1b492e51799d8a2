// Decides whether an address is public. Addresses that are reserved for private networks, for special purposes or for
// the future are not public (see the registries of special-purpose addresses, RFC 6890).
import { BlockList, isIP } from 'node:net'

const subnets = (family: 'ipv4' | 'ipv6', ...ranges: string[]): BlockList => {
  const list = new BlockList()
  for (const range of ranges) {
    const [net = '', prefix] = range.split('/')
    list.addSubnet(net, Number(prefix), family)
  }
  return list
}

const setAside4 = subnets(
  'ipv4',
  '0.0.0.0/8', // unspecified, this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // behind a carrier's NAT
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, and the metadata services of clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocols
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays, deprecated
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
)
/**
 * Public addresses are assigned only in 2000::/3. Loopback, mapped IPv4, private, link-local and multicast addresses
 * lie outside of this range.
 */
const setAside6 = subnets(
  'ipv6',
  '::/3',
  '4000::/2',
  '8000::/1',
  '2001::/23', // protocols, Teredo
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: contains an IPv4 address
  '3fff::/20', // documentation
)

/** NAT64: an IPv4 address in the last 32 bits, made by a resolver for clients without IPv4. */
const nat64 = subnets('ipv6', '64:ff9b::/96')
const embedded = (address: string): string => {
  const groups = new URL(`http://[${address}]/`).hostname.slice(1, -1).split(':')
  const [high = 0, low = 0] = groups.slice(-2).map(group => Number.parseInt(group || '0', 16))
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** Whether an IP address is public; false for a text that is no IP address. */
export const isPublic = (address: string): boolean => {
  if (isIP(address) === 4) return !setAside4.check(address, 'ipv4')
  if (isIP(address) !== 6 || address.includes('%')) return false
  if (nat64.check(address, 'ipv6')) return isPublic(embedded(address))
  return !setAside6.check(address, 'ipv6')
}
