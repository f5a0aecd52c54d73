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

/** Metadata services that are not link-local: AWS and Google over IPv6, Alibaba; Azure's is above. */
const METADATA = new Set([...INSIDE_A_CLOUD, 'fd00:ec2::254', 'fd20:ce::254', '100.100.100.200']);
/** IPv6 ranges whose addresses end in the IPv4 address that they lead to: compatible, translated (SIIT), NAT64. */
const EMBEDDING_IPV4 = ['::/96', '::ffff:0:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48'].map((range) =>
  ipaddr.parseCIDR(range),
);
const SIX_TO_FOUR = ipaddr.parseCIDR('2002::/16');

/**
 * Whether an IP address is link-local (169.254.0.0/16, fe80::/10) or the metadata service of a cloud, where the
 * credentials of this machine are. IPv4 addresses count in each of their IPv6 forms.
 * @param address in any spelling that Node.js gives
 */
export function isLinkLocalAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() === 'linkLocal' || METADATA.has(parsed.toString())) return true;
  if (parsed.kind() === 'ipv4') return false;
  const bytes = parsed.toByteArray();
  const ipv4 = parsed.match(SIX_TO_FOUR)
    ? bytes.slice(2, 6)
    : EMBEDDING_IPV4.some((range) => parsed.match(range)) && bytes.slice(-4);
  return ipv4 !== false && isLinkLocalAddress(ipv4.join('.'));
}
