import { ForbiddenError } from '#server/core/errors';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Advice for letting others in. */
const REMEDY = 'To let others in, start it with AUTH_MODE=accounts (docs/reference/access.md).';

/** Answer to a request whose `Host` is not local. */
const NOT_LOCAL = `This server runs in local mode and answers only requests to localhost. ${REMEDY}`;

/**
 * Headers that whoever passes a request on adds: the standard ones, what reverse proxies and balancers add unasked, and
 * what tunnels and content networks (Cloudflare, Fastly, Akamai, Fly.io, Google, Azure, Amazon, Tailscale) add on the way. No browser
 * and no program sends one of its own accord, so a request that has one does not come from this machine, whatever its
 * connection and its `Host` say.
 */
const FORWARDING =
  /forwarded|client-ip|^(via|front-end-https|x-(scheme|host|url-scheme)|x-original-(host|proto)|x-real-ip|x-proxyuser-ip|cdn-loop|cf-.+|fastly-.+|fly-.+|akamai-.+|x-envoy-.+|x-appengine-.+|x-cloud-trace-context|x-azure-.+|x-arr-.+|x-amzn-trace-id|x-amz-cf-id|tailscale-.+)$/;

/**
 * Tells whether a `Host` header names this machine. Any other name may be made to resolve to it, and then a page of that
 * name could read what we answer. For our pages this is all there is to check: links from anywhere may lead to them.
 */
export function isLocalHost(host: string | undefined): boolean {
  return host !== undefined && LOOPBACK.has(host.replace(/:\d+$/, '').toLowerCase());
}

/**
 * Why a request is not from this machine, for whoever reads it; null: it is. Asked for everything that local mode answers,
 * where requests come in: a proxy, a tunnel or a published port in front of it would make the whole world its owner.
 */
export function whyNotLocal({
  headers,
  httpVersion,
}: {
  readonly headers: Readonly<Record<string, string | string[] | undefined>> & { readonly host?: string | undefined };
  readonly httpVersion: string;
}): string | null {
  if (!isLocalHost(headers.host)) return NOT_LOCAL;
  const header = Object.keys(headers).find((name) => FORWARDING.test(name));
  if (header !== undefined) return notPassedOn(`the header "${header}" says so`);
  if (isFromPageElsewhere(headers)) return notPassedOn('the header "referer" names a page of another host');
  // A proxy that was told nothing adds no header. Older ones then speak HTTP/1.0, which no browser does; nginx since
  // 1.29.7 speaks HTTP/1.1, and what a program sends through it looks like this machine's own (docs/deploying.md).
  return httpVersion === '1.0' ? notPassedOn('it speaks HTTP/1.0, as proxies do') : null;
}

/**
 * Another host served the page that sends this, as a browser says. Our pages tell where their requests come from
 * (`referrer-policy: same-origin`), so a browser behind a silent proxy does. A link from elsewhere is no such request:
 * what it leads to is asked for by the person at the machine. `Origin` is judged by `requireLocal`.
 */
function isFromPageElsewhere({
  referer,
  'sec-fetch-site': site,
}: Readonly<Record<string, string | string[] | undefined>>): boolean {
  const isLink = site === 'cross-site' || site === 'same-site';
  return !isLink && isOtherHost(referer);
}

function isOtherHost(address: string | string[] | undefined): boolean {
  const host = typeof address === 'string' ? hostOf(address) : null;
  return host !== null && host !== '' && !isLocalHost(host);
}

function notPassedOn(sign: string): string {
  return `This server runs in local mode, for this machine alone, and this request came through a proxy (${sign}). ${REMEDY}`;
}

/**
 * The gate of local mode's routes: the request names a loopback host and, if a page sent it, a page of this very host. A page
 * elsewhere can therefore neither read nor write, not even through a name that resolves to this machine.
 * @throws ForbiddenError
 */
export function requireLocal(headers: Headers): void {
  const host = headers.get('host') ?? '';
  if (!isLocalHost(host)) throw new ForbiddenError(NOT_LOCAL);
  const origin = headers.get('origin');
  if (origin !== null && hostOf(origin) !== host.toLowerCase()) {
    throw new ForbiddenError('Requests from pages of other origins are refused.');
  }
  const site = headers.get('sec-fetch-site');
  if (site === 'cross-site' || site === 'same-site') {
    throw new ForbiddenError('Requests from pages of other sites are refused.');
  }
}

function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}
