import ipaddr from 'ipaddr.js';

/** The IPv6 addresses that are routed on the internet. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');
/** Azure's metadata service uses an address that counts as public. */
const INTERNAL_OF_CLOUDS = new Set(['168.63.129.16']);

/**
 * True if an IP address is on the public internet: not of this machine, its network, a carrier's or a cloud's internal
 * network, not multicast or reserved. An IPv4 address within an IPv6 one counts as that address.
 * @param address in any spelling that Node.js gives; anything else is not public
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast' || INTERNAL_OF_CLOUDS.has(parsed.toString())) return false;
  return parsed.kind() === 'ipv4' || (parsed as ipaddr.IPv6).match(GLOBAL_IPV6);
}

/** Metadata services that are not link-local: AWS and Google over IPv6, Alibaba, and Azure (see above). */
const METADATA = new Set([...INTERNAL_OF_CLOUDS, 'fd00:ec2::254', 'fd20:ce::254', '100.100.100.200']);
/** IPv6 ranges whose addresses end in the IPv4 address that they lead to: compatible, translated (SIIT), NAT64. */
const EMBEDDING_IPV4 = ['::/96', '::ffff:0:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48'].map((range) =>
  ipaddr.parseCIDR(range),
);
const SIX_TO_FOUR = ipaddr.parseCIDR('2002::/16');

/**
 * True if an IP address is link-local (169.254.0.0/16, fe80::/10) or the metadata service of a cloud, which hands out
 * this machine's credentials. IPv4 addresses count in each of their IPv6 forms.
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

/** Top-level domains of local networks and of this machine (RFC 6761, 6762, 8375; `lan` and `internal` by custom). */
const LOCAL_NAMES = /(^|\.)(localhost|local|internal|lan|home\.arpa|test)$/;

/**
 * True if a host name may belong to a public server, or is a public IP address. False for a name without a dot and for the
 * names of local networks. The name is not looked up.
 */
export function isPublicName(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (ipaddr.isValid(host)) return isPublicAddress(host);
  return host.includes('.') && !LOCAL_NAMES.test(host);
}

/** True for `localhost` and for an IP address that is not public. False for other names, which may resolve to any address. */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return host === 'localhost' || (ipaddr.isValid(host) && !isPublicAddress(host));
}
