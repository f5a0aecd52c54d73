import { it, type TestContext } from 'vitest';
import type { ContentBackend } from '#server/site/content-backend';
import type { SiteCapabilities } from '#server/core/site/site-capabilities';
import type { Entry } from '#server/core/site/content';
import { pricing, seed } from '#tests/support/content-backend/material';

/** An empty site, and how to dispose of it. */
export interface ContractSite extends AsyncDisposable {
  readonly content: ContentBackend;
}

type Capability = {
  [Name in keyof SiteCapabilities]: SiteCapabilities[Name] extends boolean ? Name : never;
}[keyof SiteCapabilities];

/** How the promises of one backend are tested; `needs` is what a backend must be able to do for it. */
export interface Contract {
  readonly name: string;
  /** A test on an empty site. */
  readonly promise: (
    title: string,
    needs: readonly Capability[],
    test: (content: ContentBackend) => Promise<void>,
  ) => void;
  /** A promise about one page with a hero, a text and a faq, created without a session. */
  readonly promiseOfPage: (
    title: string,
    needs: readonly Capability[],
    test: (content: ContentBackend, page: Entry) => Promise<void>,
  ) => void;
}

/** The contract of the backend that `createSite` makes sites of. What it says it cannot do is skipped by name. */
export function contractOf(name: string, createSite: () => Promise<ContractSite>): Contract {
  const promise: Contract['promise'] = (title, needs, test) =>
    it(title, async (context: TestContext) => {
      await using site = await createSite();
      const missing = needs.filter((capability) => !site.content.capabilities()[capability]);
      context.skip(missing.length > 0, `${name} says that it has no ${missing.join(', ')}`);
      await test(site.content);
    });
  return {
    name,
    promise,
    promiseOfPage: (title, needs, test) =>
      promise(title, needs, async (content) => test(content, (await content.create(pricing, seed)).entry)),
  };
}
