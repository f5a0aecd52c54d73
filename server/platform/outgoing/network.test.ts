import { describe, expect, it } from 'vitest';
import { requireInternetAddress, theInternet } from '#server/platform/outgoing/network';
import { isLinkLocalAddress, isPublicAddress } from '#server/platform/outgoing/public-addresses';

/** The words of a text. */
const words = (text: string) => text.trim().split(/\s+/);

describe('isPublicAddress', () => {
  it.each(['93.184.216.34', '8.8.8.8', '2606:2800:220:1::1', '::ffff:8.8.8.8'])('%s is', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    '',
    ...words(`
    127.0.0.1 127.8.9.1 0.0.0.0 0.1.2.3 ::1 :: 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 fc00::1
    fd00:ec2::254 fec0::1 169.254.169.254 fe80::1 fe80::1%eth0 100.64.0.1 100.100.100.200 168.63.129.16
    224.0.0.1 ff02::1 240.0.0.1 255.255.255.255 192.0.0.1 192.0.2.1 198.18.0.1 2001:db8::1 192.31.196.1
    192.52.193.1 100::1 3fff::1 5f00::1 4000::1 ::ffff:10.0.0.1 ::ffff:7f00:1 ::127.0.0.1 ::ffff:0:7f00:1
    ::8.8.8.9999 2002:7f00:1:: 2001:0:7f00:1:: 64:ff9b::7f00:1 64:ff9b:1::a00:1 localhost example.org
  `),
  ])('%s is not', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

it('is asked at the ports of web servers only', () => {
  const isAllowed = (port: number) => theInternet.isAllowed('93.184.216.34', port);
  expect([80, 443, 8080, 8443].map(isAllowed)).toEqual([true, true, true, true]);
  expect([22, 25, 3306, 6379, 9200, 11211].some(isAllowed)).toBe(false);
  expect(theInternet.isAllowed('127.0.0.1', 443)).toBe(false);
});

describe('isLinkLocalAddress', () => {
  it.each(
    words(`
    169.254.169.254 169.254.0.1 169.254.170.2 fe80::1 fe80::1%eth0 febf::1 ::ffff:169.254.169.254
    ::ffff:a9fe:a9fe ::169.254.169.254 ::ffff:0:a9fe:a9fe 64:ff9b::a9fe:a9fe 64:ff9b:1::a9fe:a9fe
    2002:a9fe:a9fe::1 fd00:ec2::254 fd20:ce::254 100.100.100.200 168.63.129.16
  `),
  )('%s is', (address) => expect(isLinkLocalAddress(address)).toBe(true));

  it.each(
    words(`
    127.0.0.1 ::1 10.0.0.1 192.168.1.5 172.17.0.1 100.100.100.201 fd00::1 8.8.8.8 ::ffff:10.0.0.1
    2606:2800:220:1::1
  `),
  )('%s is not', (address) => expect(isLinkLocalAddress(address)).toBe(false));
});

it('an address outside the internet is refused without a lookup; names are looked up later', () => {
  for (const address of ['http://127.0.0.1/x.png', 'http://[::1]/x.png', 'http://localhost/x.png'])
    expect(() => requireInternetAddress(address), address).toThrow('is not one of a web server');
  expect(() => requireInternetAddress('https://kiln.example:22/x.png')).toThrow('is not one of a web server');
  expect(() => requireInternetAddress('ftp://kiln.example/x.png')).toThrow('must begin with https://');
  expect(() => requireInternetAddress('https://kiln.example/x.png')).not.toThrow();
});
