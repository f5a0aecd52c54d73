import ipaddr from 'ipaddr.js';

/** Everything that is routed on the internet and no transition form of an address inside (6to4, Teredo, NAT64). */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');
/** Azure's metadata lies on an address that counts as public. */
const INSIDE_A_CLOUD = new Set(['168.63.129.16']);

/**
 * Whether an IP address is one of the public internet: not of this machine, its network, a carrier's or a cloud's
 * inside, not multicast or reserved. An IPv4 address within an IPv6 one counts as what it is.
 * @param address in any spelling that Node.js gives; what is no address is not public
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast' || INSIDE_A_CLOUD.has(parsed.toString())) return false;
  return parsed.kind() === 'ipv4' || (parsed as ipaddr.IPv6).match(GLOBAL_IPV6);
}
