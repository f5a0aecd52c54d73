import type { IncomingMessage, ServerResponse } from 'node:http';
import { EMBEDDED_SITE } from '#server/core/content';
import { once } from '#server/core/once';
import { publicSiteHeaders } from '#server/http/page-policy';
import { createPublicSite } from '#server/public-site/public-site';
import { siteLook } from '#server/public-site/site-look';
import type { Services } from '#server/services';

/** The services of this process, which Next has started from its own copy of #server/services. */
const container = globalThis as typeof globalThis & {
  throughlineServices?: Promise<Pick<Services, 'sites' | 'limits' | 'log'>>;
};

/** The host of the published site, served by the process of the app beside it. */
export interface SiteHost {
  /** Tells whether a request is for the site, by its `Host`. */
  serves(host: string | undefined): boolean;
  /** Answers as the site. Never throws. @param client network address of the visitor */
  answer(request: IncomingMessage, response: ServerResponse, client: string): Promise<void>;
}

/** Opens the host of the site. @param siteUrl where visitors reach it: `https://kiln.example` */
export function createSiteHost(siteUrl: string): SiteHost {
  const { origin, host, protocol } = new URL(siteUrl);
  const headers = Object.entries(publicSiteHeaders(protocol === 'https:'));
  const site = once(async () => {
    const services = await container.throughlineServices;
    const look = await siteLook.throughlineSiteLook?.();
    if (!services || !look) throw new Error('The services are not there.');
    return createPublicSite({
      content: services.sites.contentOf(EMBEDDED_SITE),
      address: origin,
      look,
      limits: services.limits,
      onFault: (message, error) => services.log.error({ err: error }, message),
    });
  });
  return {
    serves: (name) => name?.toLowerCase() === host,
    async answer(request, response, client) {
      for (const [name, value] of headers) response.setHeader(name, value);
      try {
        const answer = await (
          await site()
        )({
          method: request.method ?? 'GET',
          target: request.url ?? '/',
          header: (name) => request.headers[name] as string | undefined,
          client,
        });
        response.writeHead(answer.status, answer.headers);
        response.end(answer.body ?? undefined);
      } catch (error) {
        console.error('The published site could not be served:', error);
        if (!response.headersSent) response.writeHead(500);
        response.end();
      }
    },
  };
}
