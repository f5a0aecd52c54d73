import ipaddr from 'ipaddr.js';

/**
 * Key under which a network address is counted: for IPv6 its /64, because one customer of a provider has at least 2^64
 * addresses. An invalid address is its own key.
 */
export function networkKey(address: string): string {
  return ipv6Prefix(address, 64) ?? (ipaddr.isValid(address) ? ipaddr.process(address).toString() : address);
}

/**
 * The /48 of an IPv6 address: what one customer of a hosting provider or one company gets. Null for every other address.
 */
export function siteKey(address: string): string | null {
  return ipv6Prefix(address, 48);
}

/** @param bits a multiple of 16 */
function ipv6Prefix(address: string, bits: number): string | null {
  if (!ipaddr.isValid(address)) return null;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return null;
  return parsed.parts
    .slice(0, bits / 16)
    .map((part) => part.toString(16))
    .join(':');
}
