import { ForbiddenError } from '#server/core/errors';
import { serverText } from '#server/core/messages/server-text';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Advice at the end of each refusal. */
const REMEDY = 'To let others in, start it with AUTH_MODE=accounts (docs/reference/access.md).';

/** Response to a request whose `Host` is not local. */
const NOT_LOCAL = serverText('not-local');

/**
 * Headers that forwarding software adds: the standard ones, those that reverse proxies and load balancers add by
 * default, and those that tunnels and content networks (Cloudflare, Fastly, Akamai, Fly.io, Google, Azure, Amazon,
 * Tailscale) add. Browsers and programs do not send them by themselves, so a request with one does not come from this
 * machine, regardless of its connection and its `Host`.
 */
const FORWARDING =
  /forwarded|client-ip|^(via|front-end-https|x-(scheme|host|url-scheme)|x-original-(host|proto)|x-real-ip|x-proxyuser-ip|cdn-loop|cf-.+|fastly-.+|fly-.+|akamai-.+|x-envoy-.+|x-appengine-.+|x-cloud-trace-context|x-azure-.+|x-arr-.+|x-amzn-trace-id|x-amz-cf-id|tailscale-.+)$/;

/**
 * True if a `Host` header names this machine. Any other name can be made to resolve to it, and then a page under that
 * name could read our responses. For our pages no other check is needed: links from anywhere may lead to them.
 */
export function isLocalHost(host: string | undefined): boolean {
  return host !== undefined && LOOPBACK.has(host.replace(/:\d+$/, '').toLowerCase());
}

/**
 * Why a request is not from this machine, as a message for its sender; null if it is. Checked for every request in
 * local mode when it arrives: through a proxy, a tunnel or a published port, everyone would have the rights of the owner.
 */
export function whyNotLocal({
  headers,
  httpVersion,
}: {
  readonly headers: Readonly<Record<string, string | string[] | undefined>> & { readonly host?: string | undefined };
  readonly httpVersion: string;
}): string | null {
  if (!isLocalHost(headers.host)) return NOT_LOCAL.text;
  const header = Object.keys(headers).find((name) => FORWARDING.test(name));
  if (header !== undefined) return proxyRefusal(`the header "${header}" says so`);
  if (isFromPageElsewhere(headers)) return proxyRefusal('the header "referer" names a page of another host');
  // An unconfigured proxy adds no header. Older ones then use HTTP/1.0, which no browser does; nginx since 1.29.7 uses
  // HTTP/1.1, and requests of a program through it look like those of this machine (docs/deploying.md).
  return httpVersion === '1.0' ? proxyRefusal('it speaks HTTP/1.0, as proxies do') : null;
}

/**
 * True if, according to the browser, the sending page is from another host. Our pages send their address
 * (`referrer-policy: same-origin`), so requests of a browser through a silent proxy are detected. Following a link from
 * another site is not such a request: the person at the machine makes it. `requireLocal` checks `Origin`.
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

function proxyRefusal(sign: string): string {
  return `This server runs in local mode, for this machine alone, and this request came through a proxy (${sign}). ${REMEDY}`;
}

/**
 * Check of local mode's routes: the request must name a loopback host and, if a page sent it, come from a page of this
 * very host. A page elsewhere can therefore neither read nor write, not even through a name that resolves to this
 * machine.
 * @throws ForbiddenError
 */
export function requireLocal(headers: Headers): void {
  const host = headers.get('host') ?? '';
  if (!isLocalHost(host)) throw new ForbiddenError(NOT_LOCAL);
  const origin = headers.get('origin');
  if (origin !== null && hostOf(origin) !== host.toLowerCase()) {
    throw new ForbiddenError(serverText('other-origin'));
  }
  const site = headers.get('sec-fetch-site');
  if (site === 'cross-site' || site === 'same-site') {
    throw new ForbiddenError(serverText('from-other-site'));
  }
}

function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}
