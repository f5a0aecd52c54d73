import type { IncomingMessage, ServerResponse } from 'node:http';
import { admitForm, isForm } from '#scripts/lib/admit-form';
import { isLocalHost } from '#server/platform/auth/local-access';
import { hostHeadersOf, parseOrigins } from '#server/core/origins';
import { createBoundedCache } from '#server/core/bounded-map';
import { EMBEDDED_SITE } from '#server/core/site/content';
import { MAX_FORM_BYTES } from '#server/core/site/site-forms';
import { once } from '#server/core/async';
import { publicSiteHeaders, publicSitePolicy } from '#server/http/security-headers';
import { createPublicSite } from '#server/site/public/public-site';
import type { SiteThemeGlobals } from '#server/site/public/site-theme';
import type { Services } from '#server/services';

/** Services that the site uses. */
type NeededServices = 'sites' | 'siteWrites' | 'limits' | 'log' | 'settings' | 'forms' | 'pictures';

/** The services of this process, which Next has started from its own copy of #server/services. */
const globals = globalThis as SiteThemeGlobals & {
  throughlineServices?: Promise<Pick<Services, NeededServices>>;
};

/** The host of the published site, served by the same process as the app. */
export interface SiteHost {
  /** True if a request is for the site, by its `Host`. */
  serves(host: string | undefined): boolean;
  /** Answers as the site. Never throws. @param client network address of the visitor */
  answer(request: IncomingMessage, response: ServerResponse, client: string): Promise<void>;
}

/**
 * Creates the host of the site.
 * @param siteUrl where visitors reach it: `https://kiln.example`
 * @param appUrl where browsers reach the app
 */
export function createSiteHost(siteUrl: string, appUrl: string | undefined): SiteHost {
  const { origin, protocol } = new URL(siteUrl);
  const own = new Set(hostHeadersOf(siteUrl));
  const ofApp = new Set(appUrl === undefined ? [] : hostHeadersOf(appUrl));
  const headers = Object.entries(publicSiteHeaders(protocol === 'https:'));
  let services: Pick<Services, NeededServices> | undefined;
  void globals.throughlineServices?.then((started) => (services = started));
  const hostsIn = createBoundedCache<ReadonlySet<string>>(1);
  /** Hosts from which visitors are redirected. An administrator's entry cannot take the app's own host. */
  const aliases = () => {
    const text = services?.settings.current().siteAliases ?? '';
    return hostsIn(text, () => {
      const names = (text === '' ? [] : (parseOrigins(text) ?? [])).flatMap(hostHeadersOf);
      return new Set(names.filter((name) => !isLocalHost(name) && !ofApp.has(name)));
    });
  };
  const site = once(async () => {
    const theme = await globals.throughlineSiteTheme?.();
    if (!services || !theme) throw new Error('The services are not there.');
    const { sites, siteWrites, limits, log, forms, pictures } = services;
    return createPublicSite({
      content: sites.contentOf(EMBEDDED_SITE),
      writes: siteWrites,
      address: origin,
      theme,
      forms,
      pictures,
      limits,
      onFault: (message, error) => log.error({ err: error }, message),
    });
  });
  return {
    serves(name) {
      const asked = name?.toLowerCase() ?? '';
      return own.has(asked) || aliases().has(asked);
    },
    async answer(request, response, client) {
      for (const [name, value] of headers) response.setHeader(name, value);
      if (!own.has(request.headers.host?.toLowerCase() ?? '')) {
        const path = request.url?.startsWith('/') ? request.url : '/';
        response.writeHead(301, { location: `${origin}${path}`, 'cache-control': 'no-cache' }).end();
        return;
      }
      const target = request.url ?? '/';
      const handle = async () => {
        const answer = await (
          await site()
        )({
          method: request.method ?? 'GET',
          target,
          header: (name) => request.headers[name] as string | undefined,
          client,
          body: () => bodyOf(request),
        });
        const { players = [] } = answer;
        if (players.length > 0) response.setHeader('content-security-policy', publicSitePolicy(players));
        response.writeHead(answer.status, answer.headers);
        response.end(answer.body ?? undefined);
      };
      try {
        if (isForm(request, target)) await admitForm(client, request, response, handle);
        else await handle();
      } catch (error) {
        console.error('The published site could not be served:', error);
        if (!response.headersSent) response.writeHead(500);
        response.end();
      }
    },
  };
}

/** Reads the body of a form; null: too large. */
async function bodyOf(request: IncomingMessage): Promise<Uint8Array | null> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > MAX_FORM_BYTES) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
