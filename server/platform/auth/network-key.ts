import ipaddr from 'ipaddr.js';

/**
 * Key under which a network address is counted: for IPv6 its /64, because one customer of a provider has at least 2^64
 * addresses. An invalid address is its own key.
 */
export function networkKey(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':');
}
